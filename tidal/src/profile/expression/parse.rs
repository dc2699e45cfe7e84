//! From text to operations.
//!
//! ```text
//! or         = and { "or" and }
//! and        = not { "and" not }
//! not        = "not" not | comparison
//! comparison = sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ]
//! sum        = product { ("+" | "-") product }
//! product    = unary { ("*" | "/") unary }
//! unary      = "-" unary | primary
//! primary    = number | "(" or ")" | function "(" or { "," or } ")" | feature "(" [ arguments ] ")"
//! ```

use crate::error::Result;
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::profile::Source;
use crate::profile::feature::{Names, ResolvedFeature, SignalName, WindowName};
use crate::signal::{Measure, Window};

use super::lex::{Token, TokenKind, error, lex};
use super::{Binary, Formula, Operation, function};

/// Checks a formula against a schema. `window` is what the word `window` stands for. Signals and fields that are named
/// with a `?` and do not exist count as 0, and a warning is added.
pub(crate) fn parse(
    text: &str,
    names: &dyn Names,
    window: Window,
    warnings: &mut Vec<String>,
) -> Result<Formula> {
    let mut parser = Parser {
        tokens: lex(text)?,
        next: 0,
        depth: 0,
        operations: Vec::new(),
        windowed: Vec::new(),
        names,
        window,
        warnings,
    };
    parser.or()?;
    if *parser.peek() != TokenKind::End {
        return Err(parser.unexpected("an operator or the end"));
    }
    let Parser { operations, windowed, .. } = parser;
    let stack = deepest(&operations);
    Ok(Formula { text: text.to_owned(), operations, windowed, stack })
}

struct Parser<'a> {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    operations: Vec<Operation>,
    windowed: Vec<usize>,
    names: &'a dyn Names,
    window: Window,
    warnings: &'a mut Vec<String>,
}

const SUMS: [(&str, Binary); 2] = [("+", Binary::Add), ("-", Binary::Subtract)];
const PRODUCTS: [(&str, Binary); 2] = [("*", Binary::Multiply), ("/", Binary::Divide)];
const COMPARISONS: [(&str, Binary); 6] = [
    ("<=", Binary::LessOrEqual),
    (">=", Binary::GreaterOrEqual),
    ("==", Binary::Equal),
    ("!=", Binary::NotEqual),
    ("<", Binary::Less),
    (">", Binary::Greater),
];

impl Parser<'_> {
    fn or(&mut self) -> Result<()> {
        self.and()?;
        while self.takes_word("or") {
            self.and()?;
            self.push(Operation::Binary(Binary::Or))?;
        }
        Ok(())
    }

    fn and(&mut self) -> Result<()> {
        self.not()?;
        while self.takes_word("and") {
            self.not()?;
            self.push(Operation::Binary(Binary::And))?;
        }
        Ok(())
    }

    fn not(&mut self) -> Result<()> {
        if !self.takes_word("not") {
            return self.comparison();
        }
        self.nested(Parser::not)?;
        self.push(Operation::Not)
    }

    fn comparison(&mut self) -> Result<()> {
        self.sum()?;
        if let Some(binary) = self.takes_one_of(&COMPARISONS) {
            self.sum()?;
            self.push(Operation::Binary(binary))?;
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<()> {
        self.product()?;
        while let Some(binary) = self.takes_one_of(&SUMS) {
            self.product()?;
            self.push(Operation::Binary(binary))?;
        }
        Ok(())
    }

    fn product(&mut self) -> Result<()> {
        self.unary()?;
        while let Some(binary) = self.takes_one_of(&PRODUCTS) {
            self.unary()?;
            self.push(Operation::Binary(binary))?;
        }
        Ok(())
    }

    fn unary(&mut self) -> Result<()> {
        if !self.takes("-") {
            return self.primary();
        }
        self.nested(Parser::unary)?;
        self.push(Operation::Negate)
    }

    fn primary(&mut self) -> Result<()> {
        let at = self.at();
        match self.peek().clone() {
            TokenKind::Number(number) => {
                self.next += 1;
                self.push(Operation::Number(number))
            }
            TokenKind::Sign("(") => {
                self.next += 1;
                self.nested(Parser::or)?;
                self.expect(")")
            }
            TokenKind::Name(name) => {
                self.next += 1;
                if !self.takes("(") {
                    return Err(error(at, &format!("`{name}` without its `(`: a bare name means nothing")));
                }
                match function::find(&name) {
                    Some(found) => self.call(&name, at, found),
                    None => self.feature(&name, at),
                }
            }
            _ => Err(self.unexpected("a number, a function, a feature or `(`")),
        }
    }

    fn call(&mut self, name: &str, at: usize, found: (function::Function, usize, usize)) -> Result<()> {
        let (function, least, most) = found;
        let mut count: u16 = 0;
        loop {
            self.nested(Parser::or)?;
            count += 1;
            if usize::from(count) > most || !self.takes(",") {
                break;
            }
        }
        if !(least..=most).contains(&usize::from(count)) {
            let wanted = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            let given = if usize::from(count) > most { "more".to_owned() } else { format!("{count}") };
            return Err(error(at, &format!("`{name}` takes {wanted} operands and was given {given}")));
        }
        self.expect(")")?;
        self.push(Operation::Call(function, count))
    }

    fn feature(&mut self, name: &str, at: usize) -> Result<()> {
        let feature = match name {
            "count" => self.windowed_signal(Measure::Count)?,
            "sum" => self.windowed_signal(Measure::Sum)?,
            "velocity" => self.windowed_signal(Measure::Velocity)?,
            "decayed" => self.decayed()?,
            "uniques" => self.signal()?.map(|found| ResolvedFeature::Signal(found.signal, Measure::Uniques)),
            "total" => self.signal()?.map(|found| ResolvedFeature::Signal(found.signal, Measure::Total)),
            "field" => self.field()?,
            "source_rank" => Some(self.source_rank()?),
            "age_hours" => Some(ResolvedFeature::AgeHours),
            "similarity" => Some(ResolvedFeature::Similarity),
            "affinity" => Some(ResolvedFeature::Affinity),
            "following" => Some(ResolvedFeature::Following),
            "muted" => Some(ResolvedFeature::Muted),
            "text_score" => Some(ResolvedFeature::TextScore),
            "seen" => Some(ResolvedFeature::Seen),
            "co_engagement" => Some(ResolvedFeature::CoEngagement),
            _ => return Err(error(at, &format!("unknown function or feature `{name}`"))),
        };
        self.expect(")")?;
        self.push(feature.map_or(Operation::Number(0.0), Operation::Feature))
    }

    fn windowed_signal(&mut self, measure: fn(Window) -> Measure) -> Result<Option<ResolvedFeature>> {
        let found = self.signal()?;
        self.expect(",")?;
        let window = match self.window_name()? {
            WindowName::Fixed(window) => window,
            WindowName::OfQuery => {
                if found.is_some() {
                    self.windowed.push(self.operations.len());
                }
                self.window
            }
        };
        Ok(found.map(|found| ResolvedFeature::Signal(found.signal, measure(window))))
    }

    fn window_name(&mut self) -> Result<WindowName> {
        let known = match self.peek() {
            TokenKind::Name(name) if name == "window" => Some(WindowName::OfQuery),
            TokenKind::Name(name) | TokenKind::Duration(name) => {
                Window::from_name(name).map(WindowName::Fixed)
            }
            _ => None,
        };
        let Some(known) = known else {
            return Err(
                self.unexpected("a window: 1h, 24h, 7d, 30d, 365d, all, or `window` for that of the query")
            );
        };
        self.next += 1;
        Ok(known)
    }

    fn decayed(&mut self) -> Result<Option<ResolvedFeature>> {
        let found = self.signal()?;
        let mut index = 0_u8;
        if self.takes(",") {
            let at = self.at();
            let values = found.map_or(256, |found| found.decayed);
            let number = match self.peek() {
                TokenKind::Number(number) => *number,
                _ => return Err(self.unexpected("the number of a half-life")),
            };
            let Some(place) = (0..=u8::MAX).find(|n| f64::from(*n) == number && usize::from(*n) < values)
            else {
                return Err(error(
                    at,
                    &format!("no half-life number `{number}`: the signal has {values}, from 0"),
                ));
            };
            self.next += 1;
            index = place;
        }
        Ok(found.map(|found| ResolvedFeature::Signal(found.signal, Measure::Decayed(index))))
    }

    fn field(&mut self) -> Result<Option<ResolvedFeature>> {
        let at = self.at();
        let (name, optional) = self.name("the name of a field")?;
        let found = self.names.field(&name).map(ResolvedFeature::Field);
        self.known(found, optional, &format!("number field `{name}`"), at)
    }

    fn source_rank(&mut self) -> Result<ResolvedFeature> {
        let at = self.at();
        let (name, _) = self.name("the name of a source")?;
        match (0..).zip(Source::NAMES).find(|(_, known)| *known == name) {
            Some((number, _)) => Ok(ResolvedFeature::SourceRank(number)),
            None => Err(error(at, &format!("unknown source `{name}`"))),
        }
    }

    fn signal(&mut self) -> Result<Option<SignalName>> {
        let at = self.at();
        let (name, optional) = self.name("the name of a signal")?;
        let found = self.names.signal(&name);
        self.known(found, optional, &format!("signal `{name}`"), at)
    }

    fn known<T>(&mut self, found: Option<T>, optional: bool, what: &str, at: usize) -> Result<Option<T>> {
        match found {
            Some(found) => Ok(Some(found)),
            None if optional => {
                let warning = format!("the schema has no {what}: it counts as 0");
                if !self.warnings.contains(&warning) {
                    self.warnings.push(warning);
                }
                Ok(None)
            }
            None => Err(error(at, &format!("unknown {what}"))),
        }
    }

    /// A name, and whether a `?` follows.
    fn name(&mut self, wanted: &str) -> Result<(String, bool)> {
        let TokenKind::Name(name) = self.peek().clone() else {
            return Err(self.unexpected(wanted));
        };
        self.next += 1;
        Ok((name, self.takes("?")))
    }

    fn push(&mut self, operation: Operation) -> Result<()> {
        if self.operations.len() == MAX_NODES {
            return Err(error(self.at(), &format!("more than {MAX_NODES} operations")));
        }
        self.operations.push(operation);
        Ok(())
    }

    fn nested(&mut self, parse: fn(&mut Self) -> Result<()>) -> Result<()> {
        if self.depth == MAX_DEPTH {
            return Err(error(self.at(), &format!("nested deeper than {MAX_DEPTH}")));
        }
        self.depth += 1;
        parse(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    fn at(&self) -> usize {
        self.tokens[self.next].at
    }

    fn takes(&mut self, sign: &str) -> bool {
        let taken = matches!(self.peek(), TokenKind::Sign(found) if *found == sign);
        self.next += usize::from(taken);
        taken
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let taken = matches!(self.peek(), TokenKind::Name(found) if found == word);
        self.next += usize::from(taken);
        taken
    }

    fn takes_one_of(&mut self, operators: &[(&str, Binary)]) -> Option<Binary> {
        operators.iter().find(|(sign, _)| self.takes(sign)).map(|(_, binary)| *binary)
    }

    fn expect(&mut self, sign: &str) -> Result<()> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    fn unexpected(&self, wanted: &str) -> crate::error::Error {
        error(self.at(), &format!("expected {wanted}, found {}", self.peek().describe()))
    }
}

/// Most values on the stack at once.
fn deepest(operations: &[Operation]) -> usize {
    let mut now = 0_usize;
    let mut most = 0;
    for operation in operations {
        now = match operation {
            Operation::Number(_) | Operation::Feature(_) => now + 1,
            Operation::Negate | Operation::Not => now,
            Operation::Binary(_) => now - 1,
            Operation::Call(_, count) => now + 1 - usize::from(*count),
        };
        most = most.max(now);
    }
    most
}
