//! A profile against a schema.

use crate::error::{Error, Result};
use crate::limits::MAX_CANDIDATES;
use crate::query::Diversity;
use crate::signal::{Measure, Window};

use super::expression::{Formula, parse};
use super::feature::Names;
use super::{Profile, Source, Term};

/// Longest name of a profile or term, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// Most sources, gates or terms of a form.
const MAX_PARTS: usize = 64;

/// A profile that fits a schema, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedProfile {
    /// What queries call it.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// Whether items that the user has seen are left out.
    pub hide_seen: bool,
    /// Rules of diversity, unless the query has its own.
    pub diversity: Diversity,
    /// For users with a history, or for all.
    pub form: ResolvedForm,
    /// For queries without a user or history.
    pub cold: Option<ResolvedForm>,
    /// Optional signals and fields that the schema lacks, each once: to be told with every answer.
    pub warnings: Vec<String>,
}

/// Candidates and their score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedForm {
    /// Where candidates come from. Sources by a signal that the schema lacks are left out.
    pub sources: Vec<ResolvedSource>,
    /// Conditions.
    pub gates: Vec<ResolvedTerm>,
    /// Summands of the score.
    pub terms: Vec<ResolvedTerm>,
}

/// A source with numbers in place of names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedSource {
    /// The source.
    pub source: Source,
    /// The signal and its number that a [`Source::Signal`] orders by.
    pub by: Option<(u16, Measure)>,
    /// The formula of `by`, whose window the query may replace.
    formula: Option<Formula>,
}

/// A named formula, checked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResolvedTerm {
    /// What explanations call it.
    pub name: String,
    /// The formula.
    pub formula: Formula,
}

impl Profile {
    /// Checks the whole profile against a schema.
    ///
    /// # Errors
    /// `Invalid`, naming the part and the byte in its formula: a formula that is not well-formed, a function, feature,
    /// signal or field that does not exist, too many or too deep operations, a name or limit out of range.
    pub(crate) fn resolve(&self, names: &dyn Names) -> Result<ResolvedProfile> {
        check_name("name", &self.name)?;
        if self.diversity.max_per_creator == Some(0) {
            return Err(Error::invalid("diversity.max_per_creator", "0 would leave nothing"));
        }
        let mut resolver = Resolver { names, window: self.window, warnings: Vec::new() };
        let form = resolver.form(&self.sources, &self.gates, &self.terms)?;
        let cold = self.cold.as_ref().map(|cold| resolver.form(&cold.sources, &cold.gates, &cold.terms));
        let cold = cold.transpose().map_err(|error| error.below("cold"))?;
        Ok(ResolvedProfile {
            name: self.name.clone(),
            version: self.version,
            hide_seen: self.hide_seen,
            diversity: self.diversity.into(),
            form,
            cold,
            warnings: resolver.warnings,
        })
    }
}

impl ResolvedProfile {
    /// The profile with the window of a query in place of its own.
    #[must_use]
    pub(crate) fn with_window(&self, window: Window) -> ResolvedProfile {
        let mut profile = self.clone();
        for form in [Some(&mut profile.form), profile.cold.as_mut()].into_iter().flatten() {
            form.set_window(window);
        }
        profile
    }

    /// The form for a user: `cold` if there is one and the user has no history.
    pub(crate) fn form_for(&self, has_history: bool) -> &ResolvedForm {
        match &self.cold {
            Some(cold) if !has_history => cold,
            _ => &self.form,
        }
    }
}

impl ResolvedForm {
    fn set_window(&mut self, window: Window) {
        for term in self.gates.iter_mut().chain(&mut self.terms) {
            term.formula.set_window(window);
        }
        for source in &mut self.sources {
            if let Some(formula) = &mut source.formula {
                formula.set_window(window);
                source.by = formula.as_measure();
            }
        }
    }
}

struct Resolver<'a> {
    names: &'a dyn Names,
    window: Window,
    warnings: Vec<String>,
}

impl Resolver<'_> {
    fn form(&mut self, sources: &[Source], gates: &[Term], terms: &[Term]) -> Result<ResolvedForm> {
        for (field, count) in [("sources", sources.len()), ("gates", gates.len()), ("terms", terms.len())] {
            if count > MAX_PARTS {
                return Err(Error::invalid(field, format!("{count}, at most {MAX_PARTS}")));
            }
        }
        if sources.is_empty() {
            return Err(Error::invalid("sources", "none, so that nothing would ever be found"));
        }
        let mut resolved = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            let source = self.source(source).map_err(|error| error.below(&format!("sources[{place}]")))?;
            resolved.extend(source);
        }
        Ok(ResolvedForm {
            sources: resolved,
            gates: self.terms("gates", gates)?,
            terms: self.terms("terms", terms)?,
        })
    }

    /// The source, or none if it is by an optional signal that does not exist.
    fn source(&mut self, source: &Source) -> Result<Option<ResolvedSource>> {
        if let Some(limit) = source.limit()
            && !(1..=MAX_CANDIDATES).contains(&limit)
        {
            return Err(Error::invalid("limit", format!("{limit} is not between 1 and {MAX_CANDIDATES}")));
        }
        let Source::Signal { by, .. } = source else {
            return Ok(Some(ResolvedSource { source: source.clone(), by: None, formula: None }));
        };
        let formula = self.formula(by).map_err(|error| Error::invalid("by", error.message()))?;
        let measure = formula.as_measure();
        if measure.is_none() && !(by.contains('?') && formula.is_zero()) {
            return Err(Error::invalid("by", "not one number of a signal, such as `count(view, 7d)`"));
        }
        Ok(measure.map(|by| ResolvedSource { source: source.clone(), by: Some(by), formula: Some(formula) }))
    }

    fn terms(&mut self, field: &str, terms: &[Term]) -> Result<Vec<ResolvedTerm>> {
        let mut resolved = Vec::with_capacity(terms.len());
        for (place, term) in terms.iter().enumerate() {
            let below = |error: Error| error.below(&format!("{field}[{place}]"));
            check_name("name", &term.name).map_err(below)?;
            if terms[..place].iter().any(|other| other.name == term.name) {
                return Err(below(Error::invalid("name", format!("`{}` is there twice", term.name))));
            }
            let formula = self.formula(&term.formula).map_err(below)?;
            resolved.push(ResolvedTerm { name: term.name.clone(), formula });
        }
        Ok(resolved)
    }

    fn formula(&mut self, text: &str) -> Result<Formula> {
        parse(text, self.names, self.window, &mut self.warnings)
    }
}

fn check_name(field: &str, name: &str) -> Result<()> {
    if (1..=MAX_NAME_BYTES).contains(&name.len()) {
        return Ok(());
    }
    Err(Error::invalid(field, format!("{} bytes, 1 to {MAX_NAME_BYTES} are allowed", name.len())))
}
