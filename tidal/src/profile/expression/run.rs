//! Carrying out a formula.

use crate::id::Row;
use crate::profile::feature::Features;

use super::{Binary, Formula, Operation};

impl Formula {
    /// The value for an item. Always finite: a result that is not a number is 0, one beyond the range of f64 is its
    /// largest number (with its sign), and a division by zero, `ln1p` of -1 or less, `log10` of 0 or less and `sqrt` of
    /// less than 0 are 0. Conditions give 1 and 0; a number is true if it is not 0.
    ///
    /// `stack` is scratch space that the caller keeps between calls.
    pub(crate) fn value<F: Features + ?Sized>(&self, features: &F, row: Row, stack: &mut Vec<f64>) -> f64 {
        stack.clear();
        stack.reserve(self.stack);
        for operation in &self.operations {
            let value = match *operation {
                Operation::Number(number) => number,
                Operation::Feature(feature) => features.value(feature, row),
                Operation::Negate => -pop(stack),
                Operation::Not => truth(pop(stack) == 0.0),
                Operation::Binary(binary) => {
                    let right = pop(stack);
                    binary.apply(pop(stack), right)
                }
                Operation::Call(function, count) => {
                    let first = stack.len() - usize::from(count);
                    let value = function.apply(&stack[first..]);
                    stack.truncate(first);
                    value
                }
            };
            stack.push(finite(value));
        }
        pop(stack)
    }
}

fn pop(stack: &mut Vec<f64>) -> f64 {
    stack.pop().expect("the parser put every operand before its operation")
}

fn truth(condition: bool) -> f64 {
    f64::from(u8::from(condition))
}

/// The number, made finite. Negative zero becomes zero: the two would differ in an order.
pub(crate) fn finite(value: f64) -> f64 {
    if value.is_nan() {
        return 0.0;
    }
    value.clamp(f64::MIN, f64::MAX) + 0.0
}

impl Binary {
    fn apply(self, left: f64, right: f64) -> f64 {
        match self {
            Binary::Add => left + right,
            Binary::Subtract => left - right,
            Binary::Multiply => left * right,
            Binary::Divide if right == 0.0 => 0.0,
            Binary::Divide => left / right,
            Binary::Less => truth(left < right),
            Binary::LessOrEqual => truth(left <= right),
            Binary::Greater => truth(left > right),
            Binary::GreaterOrEqual => truth(left >= right),
            Binary::Equal => truth(left == right),
            Binary::NotEqual => truth(left != right),
            Binary::And => truth(left != 0.0 && right != 0.0),
            Binary::Or => truth(left != 0.0 || right != 0.0),
        }
    }
}
