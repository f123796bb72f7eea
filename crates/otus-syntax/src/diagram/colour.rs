//! The colours of authors in the spelling of either language.
//!
//! PlantUML writes `#Gold` and `#FF8800`, Mermaid `Gold` and `rgb(255, 136, 0)`, because `#` begins a comment
//! there. Both know the names of HTML.

/// A colour in Mermaid's spelling; `None` if Mermaid has no such colour.
pub(super) fn mermaid(colour: &str) -> Option<String> {
    Some(match parse(colour)? {
        Colour::Name(name) => name.to_owned(),
        Colour::Mixed([red, green, blue, 255]) => format!("rgb({red}, {green}, {blue})"),
        Colour::Mixed([red, green, blue, alpha]) => {
            let percent = (u32::from(alpha) * 100 + 127) / 255;
            format!("rgba({red}, {green}, {blue}, 0.{percent:02})")
        }
    })
}

/// A colour in PlantUML's spelling; `None` if PlantUML has no such colour.
pub(super) fn plantuml(colour: &str) -> Option<String> {
    Some(match parse(colour)? {
        Colour::Name(name) => format!("#{name}"),
        Colour::Mixed([red, green, blue, 255]) => format!("#{red:02X}{green:02X}{blue:02X}"),
        Colour::Mixed([red, green, blue, alpha]) => {
            format!("#{red:02X}{green:02X}{blue:02X}{alpha:02X}")
        }
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Colour<'a> {
    Name(&'a str),
    /// Red, green, blue and opacity.
    Mixed([u8; 4]),
}

fn parse(text: &str) -> Option<Colour<'_>> {
    let text = text.trim();
    if let Some(list) = text.strip_prefix("rgb").and_then(|it| it.strip_suffix(')')) {
        let list = list.trim_start_matches('a').strip_prefix('(')?;
        let parts: Vec<&str> = list.split(',').map(str::trim).collect();
        let ([red, green, blue] | [red, green, blue, _]) = parts[..] else { return None };
        let [red, green, blue] = [red, green, blue].map(|part| part.parse::<u8>().ok());
        let alpha = parts.get(3).map_or(Some(255), |alpha| fraction(alpha));
        return Some(Colour::Mixed([red?, green?, blue?, alpha?]));
    }
    let word = text.strip_prefix('#').unwrap_or(text);
    if word.is_empty() || !word.chars().all(|c| c.is_ascii_alphanumeric()) {
        return None;
    }
    let is_hex = word.chars().all(|c| c.is_ascii_hexdigit()) && text.starts_with('#');
    let pair = |at: usize| u8::from_str_radix(&word[at..at + 2], 16).ok();
    let single = |at: usize| u8::from_str_radix(&word[at..=at], 16).ok().map(|digit| digit * 17);
    match word.len() {
        3 if is_hex => Some(Colour::Mixed([single(0)?, single(1)?, single(2)?, 255])),
        6 if is_hex => Some(Colour::Mixed([pair(0)?, pair(2)?, pair(4)?, 255])),
        8 if is_hex => Some(Colour::Mixed([pair(0)?, pair(2)?, pair(4)?, pair(6)?])),
        _ => word.chars().all(|c| c.is_ascii_alphabetic()).then_some(Colour::Name(word)),
    }
}

/// Parses a fraction such as `0.25` or `.25`, and multiplies it by 255.
fn fraction(text: &str) -> Option<u8> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if !whole.chars().chain(decimals.chars()).all(|c| c.is_ascii_digit()) {
        return None;
    }
    if whole.parse::<u32>().is_ok_and(|whole| whole > 0) {
        return Some(255);
    }
    let decimals: u32 = format!("{decimals:0<3}").get(..3)?.parse().ok()?;
    // The value 255 stands for a colour without an opacity, so 254 is the maximum here.
    u8::try_from((decimals * 255 + 500) / 1000).ok().map(|alpha| alpha.min(254))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_there_and_back() {
        for (ours, theirs) in [
            ("Gold", "#Gold"),
            ("rgb(0, 0, 255)", "#0000FF"),
            ("rgba(0, 0, 255, 0.10)", "#0000FF1A"),
            ("rgba(255, 255, 255, 0.50)", "#FFFFFF80"),
        ] {
            assert_eq!(plantuml(ours).as_deref(), Some(theirs));
            assert_eq!(mermaid(theirs).as_deref(), Some(ours));
        }
        assert_eq!(mermaid("#F80").as_deref(), Some("rgb(255, 136, 0)"));
        assert_eq!(plantuml("rgba(0,0,255,.1)").as_deref(), Some("#0000FF1A"));
        for odd in
            ["", "#", "hsl(1, 2%, 3%)", "#red/blue", "rgb(1)", "rgb(300, 0, 0)", "rgba(1,2,3,x)"]
        {
            assert_eq!((mermaid(odd), plantuml(odd)), (None, None), "{odd}");
        }
    }
}
