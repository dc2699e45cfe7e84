//! Functions of formulas.

/// A function and what it computes. Operands are finite; a result that is not is made so by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Ln1p,
    Log10,
    Sqrt,
    Abs,
    Sigmoid,
    Exp,
    Pow,
    Wilson,
    Clamp,
    If,
    Min,
    Max,
}

/// Name, function, fewest and most operands.
const FUNCTIONS: [(&str, Function, usize, usize); 12] = [
    ("ln1p", Function::Ln1p, 1, 1),
    ("log10", Function::Log10, 1, 1),
    ("sqrt", Function::Sqrt, 1, 1),
    ("abs", Function::Abs, 1, 1),
    ("sigmoid", Function::Sigmoid, 1, 1),
    ("exp", Function::Exp, 1, 1),
    ("pow", Function::Pow, 2, 2),
    ("wilson", Function::Wilson, 2, 2),
    ("clamp", Function::Clamp, 3, 3),
    ("if", Function::If, 3, 3),
    ("min", Function::Min, 2, 64),
    ("max", Function::Max, 2, 64),
];

/// The function of a name, with the fewest and most operands that it takes.
pub(super) fn find(name: &str) -> Option<(Function, usize, usize)> {
    FUNCTIONS.into_iter().find(|row| row.0 == name).map(|(_, function, least, most)| (function, least, most))
}

impl Function {
    pub(super) fn apply(self, operands: &[f64]) -> f64 {
        match (self, operands) {
            (Function::Ln1p, [x]) => {
                if *x <= -1.0 {
                    0.0
                } else {
                    libm::log1p(*x)
                }
            }
            (Function::Log10, [x]) => {
                if *x <= 0.0 {
                    0.0
                } else {
                    libm::log10(*x)
                }
            }
            (Function::Sqrt, [x]) => {
                if *x <= 0.0 {
                    0.0
                } else {
                    x.sqrt()
                }
            }
            (Function::Abs, [x]) => x.abs(),
            (Function::Sigmoid, [x]) => 1.0 / (1.0 + libm::exp(-x)),
            (Function::Exp, [x]) => libm::exp(*x),
            // Zero to a negative power is a division by zero.
            (Function::Pow, [x, y]) => {
                if *x == 0.0 && *y < 0.0 {
                    0.0
                } else {
                    libm::pow(*x, *y)
                }
            }
            (Function::Wilson, [positive, total]) => wilson(*positive, *total),
            (Function::Clamp, [x, low, high]) => x.min(*high).max(*low),
            (Function::If, [condition, yes, no]) => {
                if *condition != 0.0 {
                    *yes
                } else {
                    *no
                }
            }
            (Function::Min, operands) => operands.iter().copied().fold(f64::INFINITY, f64::min),
            (Function::Max, operands) => operands.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            _ => unreachable!("the parser counted the operands of {self:?}"),
        }
    }
}

/// Lower end of the 95 % interval of Wilson (1927) for the share of positives: few votes do not win. 0 without any.
fn wilson(positive: f64, total: f64) -> f64 {
    const Z: f64 = 1.96;
    if total <= 0.0 {
        return 0.0;
    }
    let share = (positive / total).clamp(0.0, 1.0);
    let z2 = Z * Z / total;
    let margin = Z * ((share * (1.0 - share) + z2 / 4.0) / total).sqrt();
    ((share + z2 / 2.0 - margin) / (1.0 + z2)).max(0.0)
}
