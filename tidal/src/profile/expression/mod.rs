//! The language of formulas.
//!
//! 1. `lex` cuts the text into words, each with the byte where it starts.
//! 2. `parse` makes a list of operations in the order in which they are carried out (operands first), by recursive
//!    descent of bounded depth. Names are looked up at once, so every error has its place.
//! 3. `run` carries the operations out on a stack. Every result is finite: see [`Formula::value`].

mod function;
mod lex;
mod parse;
mod run;

pub(crate) use parse::parse;
pub(crate) use run::finite;

use super::feature::ResolvedFeature;
use crate::signal::{Measure, Window};
use function::Function;

/// Longest formula, in bytes.
pub(crate) const MAX_FORMULA_BYTES: usize = 16 << 10;

/// A formula, checked and ready to run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Formula {
    text: String,
    operations: Vec<Operation>,
    /// Places of operations whose window the query may replace.
    windowed: Vec<usize>,
    /// Most values on the stack at once.
    stack: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Operation {
    Number(f64),
    Feature(ResolvedFeature),
    Negate,
    Not,
    Binary(Binary),
    /// A function of so many operands.
    Call(Function, u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

impl Formula {
    /// The formula as the profile has it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The features that it reads, in the order in which they stand.
    #[cfg(test)]
    pub(crate) fn features(&self) -> impl Iterator<Item = ResolvedFeature> {
        self.operations.iter().filter_map(|operation| match operation {
            Operation::Feature(feature) => Some(*feature),
            _ => None,
        })
    }

    /// Replaces what the word `window` stands for.
    pub(crate) fn set_window(&mut self, window: Window) {
        for place in &self.windowed {
            if let Operation::Feature(ResolvedFeature::Signal(_, measure)) = &mut self.operations[*place] {
                *measure = match *measure {
                    Measure::Count(_) => Measure::Count(window),
                    Measure::Sum(_) => Measure::Sum(window),
                    Measure::Velocity(_) => Measure::Velocity(window),
                    other => other,
                };
            }
        }
    }

    /// Whether it is the number 0: what a feature of an optional signal that does not exist becomes.
    pub(crate) fn is_zero(&self) -> bool {
        self.operations == [Operation::Number(0.0)]
    }

    /// The signal and number that it is, if it is nothing else.
    pub(crate) fn as_measure(&self) -> Option<(u16, Measure)> {
        match self.operations[..] {
            [Operation::Feature(ResolvedFeature::Signal(signal, measure))] => Some((signal, measure)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
