//! One object, or a list of them.

use serde_json::Value as Json;

use crate::error::{Error, ErrorKind, Result};
use crate::limits::MAX_BATCH_MUTATIONS;

/// Reads one object, or a list of them. The field of an error in a list begins with the place: `[3]`.
///
/// # Errors
/// `Invalid`: the first element that `read` refuses, or more than [`MAX_BATCH_MUTATIONS`] of them.
pub fn one_or_many<T>(json: &Json, read: impl Fn(&Json) -> Result<T>) -> Result<Vec<T>> {
    match json.as_array().map(Vec::len) {
        None => Ok(vec![read(json)?]),
        Some(length) if length > MAX_BATCH_MUTATIONS => {
            let message = format!("{length} elements, at most {MAX_BATCH_MUTATIONS} are possible");
            Err(Error::new(ErrorKind::Invalid, message))
        }
        Some(_) => super::list(json, read),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::one_or_many;
    use crate::wire::relation;

    #[test]
    fn an_error_in_a_batch_says_which_element() {
        let batch = json!([
            {"relation": "hide", "user": 7, "item": 1},
            {"relation": "hide", "item": 1},
        ]);
        let error = one_or_many(&batch, relation::from_json).unwrap_err();
        assert_eq!(error.to_string(), "[1].user: is missing");
        let error = one_or_many(&json!([3]), relation::from_json).unwrap_err();
        assert_eq!(error.to_string(), "[0]: expected an object, found 3");
        assert_eq!(one_or_many(&batch[0], relation::from_json).unwrap().len(), 1);
        assert!(one_or_many(&json!([]), relation::from_json).unwrap().is_empty());
    }
}
