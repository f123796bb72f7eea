//! Scenes as SVG.
//!
//! The bytes depend on the scene alone, so that pictures can be compared. Colours stand in one style sheet at the top,
//! with a rule for each pair of role and tone that occurs. Arrow heads are plain paths, since renderers differ most in
//! markers. Each label gives its length, so that it has the same width in another font.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::colour::Colour;
use crate::geometry::{Point, point};
use crate::metrics::Font;
use crate::scene::{Anchor, End, Item, Label, Line, Role, Scene, Shape, Tone};
use crate::theme::{DARK, LIGHT, Palette, Theme};

/// The picture as a complete SVG document.
///
/// ```
/// use otus_draw::{Scene, Theme, svg};
///
/// let text = svg(&Scene::new("nothing"), Theme::Auto);
/// assert!(text.starts_with("<svg ") && text.contains("<title id=\"title\">nothing</title>"));
/// ```
pub fn svg(scene: &Scene, theme: Theme) -> String {
    let mut style = Style { out: String::new(), scope: "", used: used(scene) };
    match theme {
        Theme::Light => style.rules(&LIGHT, None),
        Theme::Dark => style.rules(&DARK, None),
        Theme::Auto => {
            style.rules(&LIGHT, None);
            style.out.push_str("@media (prefers-color-scheme: dark) {\n");
            style.rules(&DARK, None);
            style.out.push_str("}\n");
        }
    }
    document(scene, &style, "", "img", theme == Theme::Light)
}

/// The picture as an `<svg>` element for an HTML page, which may embed several.
///
/// It differs from [`svg()`] in three ways. Every `id` begins with `id`, and each [tooltip](Scene::tooltips) has its
/// subject as an `id`: `<g id="case3-event-12" data-subject="event-12">`, so that a script can find and mark it.
/// The rules of its style sheet apply only below the class `otus`. The colours follow the CSS property
/// `color-scheme` of the page, light or dark, so that a page can have a switch of its own.
pub fn svg_in_page(scene: &Scene, id: &str) -> String {
    let mut style = Style { out: String::new(), scope: ".otus ", used: used(scene) };
    style.rules(&LIGHT, Some(&DARK));
    document(scene, &style, &format!("{id}-"), "group", false)
}

/// The whole element; `prefix` is put before every `id`. Lines get the colours of their author only on a
/// background that is always light, because the author chose them for a light background.
fn document(scene: &Scene, style: &Style, prefix: &str, role: &str, is_light: bool) -> String {
    let mut out = String::new();
    let (width, height) = (number(scene.size.width), number(scene.size.height));
    let (prefix, scope) = (escape(prefix), style.scope);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"otus\" width=\"{width}\" \
         height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"{role}\" \
         aria-labelledby=\"{prefix}title {prefix}description\">\n\
         <title id=\"{prefix}title\">{}</title>\n\
         <desc id=\"{prefix}description\">{}</desc>\n\
         <style>\n\
         {scope}text {{ font-family: \"DejaVu Sans\", Verdana, sans-serif; }}\n\
         {scope}path, {scope}line, {scope}polyline {{ fill: none; stroke-linejoin: round; }}\n\
         {}</style>\n\
         <rect class=\"o-ground\" width=\"{width}\" height=\"{height}\"/>",
        escape(&scene.title),
        escape(&scene.description),
        style.out,
    );
    for items in scene.items.chunk_by(|a, b| a.subject == b.subject) {
        let subject = items[0].subject.as_ref();
        let tooltip = subject.and_then(|subject| Some((subject, scene.tooltips.get(subject)?)));
        if let Some((subject, tooltip)) = tooltip {
            let (subject, tooltip) = (escape(subject), escape(tooltip));
            out.push_str("<g");
            if !prefix.is_empty() {
                let _ = write!(out, " id=\"{prefix}{subject}\"");
            }
            let _ = writeln!(out, " data-subject=\"{subject}\"><title>{tooltip}</title>");
        }
        for item in items {
            write_item(&mut out, item, tooltip.is_none(), is_light);
        }
        if tooltip.is_some() {
            out.push_str("</g>\n");
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The pairs of role and tone that occur, and whether they occur as text.
fn used(scene: &Scene) -> BTreeSet<(Role, Tone, bool)> {
    let items = scene.items.iter();
    items.map(|item| (item.role, item.tone, matches!(item.shape, Shape::Label(_)))).collect()
}

struct Style {
    out: String,
    /// The beginning of every selector.
    scope: &'static str,
    used: BTreeSet<(Role, Tone, bool)>,
}

impl Style {
    /// Writes the rules in the colours of a palette. With `dark`, an item has the colour of `palette` on a light
    /// page and that of `dark` on a dark page. Browsers that do not know `light-dark()` use the former.
    fn rules(&mut self, palette: &Palette, dark: Option<&Palette>) {
        let colour = |property: &str, of: &dyn Fn(&Palette) -> &'static str| {
            let light = of(palette);
            match dark.map(of).filter(|dark| *dark != light) {
                None => format!("{property}: {light};"),
                Some(dark) => {
                    format!("{property}: {light}; {property}: light-dark({light}, {dark});")
                }
            }
        };
        let (out, scope) = (&mut self.out, self.scope);
        let _ = writeln!(out, "{scope}.o-ground {{ {} }}", colour("fill", &|p| p.ground));
        for &(role, tone, is_text) in &self.used {
            let name = class(role, tone);
            if is_text {
                // A halo separates text from the lines behind it.
                let _ = writeln!(
                    out,
                    "{scope}text.{name} {{ {} {} stroke-width: 3px; stroke-linejoin: round; \
                     paint-order: stroke; }}",
                    colour("fill", &|p| p.text(role, tone)),
                    colour("stroke", &|p| halo(role, p)),
                );
                continue;
            }
            let ink = palette.shape(role, tone);
            let fill = colour("fill", &|p| p.shape(role, tone).fill);
            let stroke = colour("stroke", &|p| p.shape(role, tone).stroke);
            let _ = write!(out, "{scope}.{name} {{ {fill} {stroke}");
            let width = number(ink.width);
            if ink.stroke != "none" {
                let _ = write!(out, " stroke-width: {width}px;");
            }
            if !ink.dash.is_empty() {
                let _ = write!(out, " stroke-dasharray: {};", ink.dash);
            }
            out.push_str(" }\n");
            if ink.stroke != "none" {
                let fill = colour("fill", &|p| p.shape(role, tone).stroke);
                let _ = writeln!(
                    out,
                    "{scope}.{name}-end {{ {fill} {stroke} stroke-width: {width}px; }}"
                );
            }
        }
    }
}

/// The colour of the halo of a text; `none` in boxes, because no line crosses a box.
fn halo(role: Role, palette: &Palette) -> &'static str {
    let is_in_box =
        matches!(role, Role::Head | Role::Tab | Role::Node | Role::Event | Role::Band | Role::Note);
    if is_in_box { "none" } else { palette.ground }
}

fn class(role: Role, tone: Tone) -> String {
    format!("o-{}-{}", role.name(), tone.name())
}

/// Writes an item. Its subject is written too, unless a group around the item has it.
fn write_item(out: &mut String, item: &Item, with_subject: bool, is_light: bool) {
    let class = class(item.role, item.tone);
    let mut shared = format!("class=\"{class}\"");
    if let Some(subject) = item.subject.as_ref().filter(|_| with_subject) {
        let _ = write!(shared, " data-subject=\"{}\"", escape(subject));
    }
    match (&item.shape, &item.colour) {
        (Shape::Line(_), _) | (_, None) => {}
        (Shape::Label(_), Some(_)) => shared.push_str(" style=\"stroke-opacity: 0.4\""),
        (Shape::Box { .. } | Shape::Polygon(_) | Shape::Disc { .. }, Some(colour)) => {
            // First the background is painted, so that a tint does not show the items behind it.
            write_shape(out, item, "class=\"o-ground\"", &class, is_light);
            let _ = write!(shared, " style=\"{}\"", colour.of_area());
        }
    }
    write_shape(out, item, &shared, &class, is_light);
}

/// Writes the shape of an item with these attributes.
fn write_shape(out: &mut String, item: &Item, shared: &str, class: &str, is_light: bool) {
    match &item.shape {
        Shape::Box { rect, radius } => {
            let [x, y, width, height] =
                [rect.left, rect.top, rect.width(), rect.height()].map(number);
            let _ = write!(
                out,
                "<rect {shared} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""
            );
            if *radius > 0.0 {
                let _ = write!(out, " rx=\"{}\"", number(*radius));
            }
            out.push_str("/>\n");
        }
        Shape::Polygon(points) => {
            let _ = writeln!(out, "<polygon {shared} points=\"{}\"/>", list(points));
        }
        Shape::Disc { center, radius } => {
            let [x, y, r] = [center.x, center.y, *radius].map(number);
            let _ = writeln!(out, "<circle {shared} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>");
        }
        Shape::Line(line) => {
            write_line(out, line, shared, class, item.colour.as_ref().filter(|_| is_light));
        }
        Shape::Label(label) => write_label(out, label, shared),
    }
}

fn write_line(out: &mut String, line: &Line, shared: &str, class: &str, colour: Option<&Colour>) {
    let points = &line.points;
    let dots = if line.dotted { "stroke-dasharray: 4 3;" } else { "" };
    let style = format!("{}{dots}", colour.map(Colour::of_line).unwrap_or_default());
    let shared = match style.as_str() {
        "" => shared.to_owned(),
        style => format!("{shared} style=\"{style}\""),
    };
    if line.smooth && points.len() > 2 {
        let _ = writeln!(out, "<path {shared} d=\"{}\"/>", rounded(points));
    } else {
        let _ = writeln!(out, "<polyline {shared} points=\"{}\"/>", list(points));
    }
    if let [first, second, ..] = points.as_slice() {
        write_end(out, line.ends[0], *first, *second, class, colour);
    }
    if let [.., second, last] = points.as_slice() {
        write_end(out, line.ends[1], *last, *second, class, colour);
    }
}

/// A polyline with its corners rounded off: straight to the middle of each segment, and from
/// middle to middle by a parabola that stays within the corner.
fn rounded(points: &[Point]) -> String {
    let middle = |a: Point, b: Point| point(f64::midpoint(a.x, b.x), f64::midpoint(a.y, b.y));
    let text = |p: Point| format!("{} {}", number(p.x), number(p.y));
    let mut path = format!("M {}", text(points[0]));
    for window in points.windows(3) {
        let [a, b, c] = window else { continue };
        let _ = write!(path, " L {} Q {} {}", text(middle(*a, *b)), text(*b), text(middle(*b, *c)));
    }
    let _ = write!(path, " L {}", text(points[points.len() - 1]));
    path
}

const HEAD: f64 = 8.0;

fn write_end(
    out: &mut String,
    end: End,
    tip: Point,
    from: Point,
    class: &str,
    colour: Option<&Colour>,
) {
    let way = tip - from;
    let length = way.length();
    if length == 0.0 {
        return;
    }
    let along = point(way.x / length * HEAD, way.y / length * HEAD);
    let across = point(-along.y * 0.42, along.x * 0.42);
    let wings = list(&[tip - along + across, tip, tip - along - across]);
    let points = |style: &str, points: &str| format!("style=\"{style}\" points=\"{points}\"");
    let open = format!("{}fill: none", colour.map(Colour::of_line).unwrap_or_default());
    let (tag, form) = match end {
        End::Plain => return,
        End::Open => ("polyline", points(&open, &wings)),
        End::Half => {
            let wing = if across.y > 0.0 { tip - along - across } else { tip - along + across };
            ("polyline", points(&open, &list(&[wing, tip])))
        }
        End::Filled => {
            let fill = colour.map(Colour::of_head).unwrap_or_default();
            ("polygon", points(&format!("{fill}stroke: none"), &wings))
        }
        End::Dot => {
            let [x, y] = [tip.x, tip.y].map(number);
            ("circle", format!("cx=\"{x}\" cy=\"{y}\" r=\"3\""))
        }
        End::Cross => {
            let [a, b, c, d] = [(-4.5, -4.5), (4.5, 4.5), (4.5, -4.5), (-4.5, 4.5)]
                .map(|(x, y)| list(&[tip + point(x, y)]));
            ("path", format!("style=\"{open}\" d=\"M {a} L {b} M {c} L {d}\""))
        }
    };
    let _ = writeln!(out, "<{tag} class=\"{class}-end\" {form}/>");
}

fn write_label(out: &mut String, label: &Label, shared: &str) {
    if label.text.trim().is_empty() {
        return;
    }
    let Font { size, bold } = label.font;
    let [x, y, size, length] =
        [label.at.x, label.at.y, size, label.font.width(&label.text)].map(number);
    let weight = if bold { " font-weight=\"bold\"" } else { "" };
    let anchor = match label.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let _ = writeln!(
        out,
        "<text {shared} x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{weight}{anchor} \
         textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
        escape(&label.text)
    );
}

fn list(points: &[Point]) -> String {
    let pairs: Vec<String> =
        points.iter().map(|p| format!("{},{}", number(p.x), number(p.y))).collect();
    pairs.join(" ")
}

/// A number with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text with XML escapes; characters that XML does not allow become U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' => out.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}
