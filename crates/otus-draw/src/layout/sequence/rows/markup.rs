//! Removes formatting (`<b>`, `<color:red>`, `**`) and sprites from text, because our font has no such faces.

/// The names of tags that change a font.
const TAGS: [&str; 17] = [
    "b", "i", "u", "s", "w", "color", "size", "font", "back", "sub", "sup", "strike", "plain",
    "code", "strong", "em", "img",
];

/// The text without formatting. `\\n` becomes a line break.
pub(in crate::layout::sequence) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match tag_length(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                out.push('<');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    let out = without_links(&decoded(&out.replace("\\n", "\n")));
    let italic = if out.contains("://") { None } else { Some("//") };
    ["**", "\"\""].into_iter().chain(italic).fold(out, |text, mark| without_pairs(&text, mark))
}

/// The text with its numeric entities decoded: `©` for `&#169;`.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("&#") {
        let (before, entity) = rest.split_at(at);
        out.push_str(before);
        let digits = entity[2..].bytes().take(7).take_while(u8::is_ascii_digit).count();
        let number = entity[2..2 + digits].parse().ok().and_then(char::from_u32);
        match number.filter(|c| entity[2 + digits..].starts_with(';') && !c.is_control()) {
            Some(c) => {
                out.push(c);
                rest = &entity[digits + 3..];
            }
            None => {
                out.push_str("&#");
                rest = &entity[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The text with what its links show: `label` for `[[https://example.org label]]`.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("[[") {
        let Some(length) = rest[at..].find("]]") else { break };
        let inside = &rest[at + 2..at + length];
        let (address, label) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
        // The text of a tool tip may follow the address.
        let shown = match label.trim() {
            "" => address.split('{').next().unwrap_or(address),
            label => label,
        };
        out.push_str(&rest[..at]);
        out.push_str(if address.contains("://") { shown } else { &rest[at..at + length + 2] });
        rest = &rest[at + length + 2..];
    }
    out.push_str(rest);
    out
}

/// The length of the tag at the start of a text, if it is one of those that change a font.
fn tag_length(text: &str) -> Option<usize> {
    let end = text.find('>')?;
    let inner = text[1..end].trim_start_matches('/');
    // A sprite or an icon, which we cannot draw.
    if inner.starts_with(['$', '&']) && !inner.contains(' ') {
        return Some(end + 1);
    }
    let name_end = inner.find([':', ' ', '#', '=']).unwrap_or(inner.len());
    let name = inner[..name_end].to_ascii_lowercase();
    TAGS.contains(&name.as_str()).then_some(end + 1)
}

/// The text without a mark such as `**`, wherever the mark encloses some text.
fn without_pairs(text: &str, mark: &str) -> String {
    let count = text.matches(mark).count();
    if count > 0 && count.is_multiple_of(2) { text.replace(mark, "") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn marks_go_and_text_stays() {
        assert_eq!(plain("<color #FF0000><b>Error</b> 2001</color>"), "Error 2001");
        assert_eq!(plain("Return **records**, a ** b"), "Return **records**, a ** b");
        assert_eq!(plain("Return **records**"), "Return records");
        assert_eq!(plain("List<Byte> < 3 <size:10>x"), "List<Byte> < 3 x");
        assert_eq!(plain("address //P// of https"), "address P of https");
        assert_eq!(plain("a://b a://c"), "a://b a://c");
        assert_eq!(plain("<$actor>Payer <&key>"), "Payer ");
        assert_eq!(plain("a\\nb"), "a\nb");
        assert_eq!(plain("see [[https://a.org{tip} the page]] now"), "see the page now");
        assert_eq!(plain("[[https://a.org]] a[[1]] [[x"), "https://a.org a[[1]] [[x");
        assert_eq!(plain("<img:a.png> shown"), " shown");
        assert_eq!(plain("&#169; &#9; &#x &#169"), "© &#9; &#x &#169");
    }
}
