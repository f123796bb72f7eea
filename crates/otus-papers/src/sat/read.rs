//! Readers of formulas: DIMACS, and JSON lines.

use std::fmt;

use serde::Deserialize;

use super::Formula;

/// A formula with its name in a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Its name.
    pub name: String,
    /// The formula.
    pub formula: Formula,
}

/// The most variables of a formula. A larger number in a text is a mistake, and must not allocate gigabytes.
const MAX_VARIABLES: usize = 1_000_000;

/// A text that is no formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoFormula {
    /// The line, from 1.
    pub line: usize,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for NoFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl std::error::Error for NoFormula {}

impl Formula {
    /// Reads a `.cnf` text: comments `c …`, a header `p cnf VARIABLES CLAUSES`, and literals, with
    /// a `0` at the end of each clause. A `%` ends the text, as in the files of SATLIB.
    ///
    /// ```
    /// use otus_papers::sat::Formula;
    ///
    /// let formula = Formula::from_dimacs("c tiny\np cnf 2 2\n1 -2 0\n2 0\n").unwrap();
    /// assert_eq!(formula.clauses, [vec![1, -2], vec![2]]);
    /// ```
    ///
    /// # Errors
    /// The first line that is wrong, and why.
    pub fn from_dimacs(text: &str) -> Result<Formula, NoFormula> {
        let fail = |line: usize, reason: String| Err(NoFormula { line, reason });
        let mut header: Option<(usize, usize)> = None;
        let mut formula = Formula::default();
        let mut clause = Vec::new();
        let mut last = 0;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            last = number;
            let mut words = line.split_whitespace().peekable();
            match words.peek() {
                None => continue,
                // `c` may stand directly before the comment; no literal starts with a letter.
                Some(word) if word.starts_with('c') => continue,
                Some(&"%") => break,
                Some(&"p") => {
                    if header.is_some() {
                        return fail(number, "there is a second header".to_owned());
                    }
                    let Some(found) = read_header(line) else {
                        return fail(
                            number,
                            "a header is `p cnf` and the numbers of variables and clauses"
                                .to_owned(),
                        );
                    };
                    formula.variables = found.0;
                    header = Some(found);
                    continue;
                }
                Some(_) => {}
            }
            if header.is_none() {
                let reason = "the header `p cnf VARIABLES CLAUSES` must come before the clauses";
                return fail(number, reason.to_owned());
            }
            for word in words {
                match word.parse::<i32>() {
                    Ok(0) => formula.clauses.push(std::mem::take(&mut clause)),
                    Ok(literal) => {
                        check_literal(literal, formula.variables)
                            .map_err(|reason| NoFormula { line: number, reason })?;
                        clause.push(literal);
                    }
                    Err(_) => return fail(number, format!("`{word}` is no literal")),
                }
            }
        }
        let Some((_, count)) = header else {
            return fail(last.max(1), "there is no header `p cnf VARIABLES CLAUSES`".to_owned());
        };
        if !clause.is_empty() {
            return fail(last, "the last clause has no `0` at its end".to_owned());
        }
        if formula.clauses.len() != count {
            let found = formula.clauses.len();
            return fail(last, format!("the header announces {count} clauses, and {found} follow"));
        }
        Ok(formula)
    }
}

fn read_header(line: &str) -> Option<(usize, usize)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["p", "cnf", variables, clauses] = words.as_slice() else { return None };
    let variables = variables.parse().ok().filter(|&count| count <= MAX_VARIABLES)?;
    Some((variables, clauses.parse().ok()?))
}

fn check_literal(literal: i32, variables: usize) -> Result<(), String> {
    let variable = literal.unsigned_abs();
    if variable == 0 {
        return Err("`0` is no literal".to_owned());
    }
    if variable as usize > variables {
        return Err(format!("variable {variable} is not among the {variables} announced ones"));
    }
    Ok(())
}

/// A line of a collection.
#[derive(Deserialize)]
struct Line {
    name: String,
    vars: usize,
    clauses: Vec<Vec<i32>>,
}

impl Problem {
    /// Reads `{"name": …, "vars": …, "clauses": [[…], …]}`, one object per line.
    ///
    /// # Errors
    /// The first line that is wrong, and why.
    pub fn from_json_lines(text: &str) -> Result<Vec<Problem>, NoFormula> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let problem = |(index, line)| {
            Problem::from_json(line).map_err(|reason| NoFormula { line: index + 1, reason })
        };
        lines.map(problem).collect()
    }

    fn from_json(line: &str) -> Result<Problem, String> {
        let Line { name, vars: variables, clauses } =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        if variables > MAX_VARIABLES {
            return Err(format!("`vars` is more than {MAX_VARIABLES}"));
        }
        for &literal in clauses.iter().flatten() {
            check_literal(literal, variables)?;
        }
        Ok(Problem { name, formula: Formula { variables, clauses } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn dimacs(text: &str, expected: Result<&[&[i32]], &str>) {
        let found = Formula::from_dimacs(text);
        match expected {
            Ok(clauses) => assert_eq!(found.unwrap().clauses, clauses),
            Err(message) => assert_eq!(found.unwrap_err().to_string(), message),
        }
    }

    #[test]
    fn clauses_may_span_lines_and_share_them() {
        dimacs("p cnf 3 2\n1 -2\n3 0 -1 0", Ok(&[&[1, -2, 3], &[-1]]));
        dimacs("c hi\n\n p  cnf 1 1 \nc\n0", Ok(&[&[]]));
        dimacs("p cnf 0 0", Ok(&[]));
        dimacs("p cnf 1 1\r\n1 0\r\n%\r\n0\r\n", Ok(&[&[1]]));
    }

    #[test]
    fn faults_are_named_with_their_line() {
        dimacs("", Err("line 1: there is no header `p cnf VARIABLES CLAUSES`"));
        dimacs(
            "1 0",
            Err("line 1: the header `p cnf VARIABLES CLAUSES` must come before the clauses"),
        );
        dimacs("p cnf 1 1\np cnf 1 1", Err("line 2: there is a second header"));
        for header in ["p", "p cnf 1", "p dnf 1 1", "p cnf x 1", "p cnf -1 1", "p cnf 4294967295 1"]
        {
            dimacs(
                header,
                Err("line 1: a header is `p cnf` and the numbers of variables and clauses"),
            );
        }
        dimacs("p cnf 2 1\n1 -3 0", Err("line 2: variable 3 is not among the 2 announced ones"));
        dimacs("p cnf 2 1\n1 x 0", Err("line 2: `x` is no literal"));
        dimacs("p cnf 2 1\n99999999999 0", Err("line 2: `99999999999` is no literal"));
        dimacs(
            "p cnf 2 1\n-2147483648 0",
            Err("line 2: variable 2147483648 is not among the 2 announced ones"),
        );
        dimacs("p cnf 2 1\n1 2", Err("line 2: the last clause has no `0` at its end"));
        dimacs("p cnf 2 2\n1 2 0", Err("line 2: the header announces 2 clauses, and 1 follow"));
    }

    #[test]
    fn problems_are_read_line_by_line() {
        let one = r#"{"name": "a", "vars": 2, "clauses": [[1, -2], []]}"#;
        let formula = Formula { variables: 2, clauses: vec![vec![1, -2], vec![]] };
        assert_eq!(
            Problem::from_json_lines(one).unwrap(),
            [Problem { name: "a".to_owned(), formula }]
        );
        let many = "{\"name\":\"a\",\"vars\":0,\"clauses\":[]}\n\n".repeat(3);
        assert_eq!(Problem::from_json_lines(&many).unwrap().len(), 3);
        for (text, reason) in [
            ("[]", "line 1: invalid length 0"),
            ("{", "line 1: EOF while parsing"),
            ("\n{\"name\":1}", "line 2: invalid type: integer `1`, expected a string"),
            (r#"{"name":"a"}"#, "line 1: missing field `vars`"),
            (r#"{"name":"a","vars":1}"#, "line 1: missing field `clauses`"),
            (r#"{"name":"a","vars":1,"clauses":[1]}"#, "line 1: invalid type: integer `1`"),
            (r#"{"name":"a","vars":1,"clauses":[[0]]}"#, "line 1: `0` is no literal"),
            (r#"{"name":"a","vars":1,"clauses":[[-2]]}"#, "line 1: variable 2 is not among"),
            (r#"{"name":"a","vars":4294967295,"clauses":[]}"#, "line 1: `vars` is more than"),
        ] {
            let found = Problem::from_json_lines(text).unwrap_err().to_string();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
    }
}
