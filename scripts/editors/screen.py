"""Turns the screen of a terminal, as `tmux capture-pane -e -p` prints it, into an SVG.

Standard input is the screen, the argument its title; standard output gets the picture. Every run of characters has the width of its
cells, so that the picture does not depend on the fonts of who looks at it."""

import re
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 8.4, 18
BASIC = ["#1e2127", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"]
BRIGHT = ["#5c6370", "#f48b93", "#b5e08f", "#f3d18a", "#82c4ff", "#da94ef", "#79d0da", "#ffffff"]
INK, PAPER = "#d7dae0", "#1b1e24"


def indexed(number):
    if number < 16:
        return (BASIC + BRIGHT)[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    number -= 16
    steps = [0, 95, 135, 175, 215, 255]
    return "#" + "".join(f"{steps[part]:02x}" for part in (number // 36, number // 6 % 6, number % 6))


def restyled(style, codes):
    codes = [int(code or 0) for code in codes.split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = {}
        elif code in (38, 48):
            key = "ink" if code == 38 else "paper"
            if codes.pop(0) == 5:
                style = {**style, key: indexed(codes.pop(0))}
            else:
                style = {**style, key: "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))}
        elif 30 <= code <= 37 or 40 <= code <= 47:
            style = {**style, "ink" if code < 40 else "paper": BASIC[code % 10]}
        elif 90 <= code <= 97 or 100 <= code <= 107:
            style = {**style, "ink" if code < 100 else "paper": BRIGHT[code % 10]}
        elif code in (39, 49):
            style = {key: value for key, value in style.items() if key != ("ink" if code == 39 else "paper")}
        elif code in (1, 3, 4, 7):
            style = {**style, {1: "bold", 3: "italic", 4: "underline", 7: "reverse"}[code]: True}
        elif code in (22, 23, 24, 27):
            gone = {22: "bold", 23: "italic", 24: "underline", 27: "reverse"}[code]
            style = {key: value for key, value in style.items() if key != gone}
    return style


def runs(line, style):
    column, found = 0, []
    for part in re.split(r"(\x1b\[[0-9;:]*m)", line):
        if part.startswith("\x1b["):
            style = restyled(style, part[2:-1].replace(":", ";"))
        elif part:
            found.append((column, part, style))
            column += len(part)
    return found, style


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    style, rows, columns = {}, [], 0
    for line in lines:
        found, style = runs(re.sub(r"\x1b\([A-Z0-9]|\x1b\]8;[^\x1b]*\x1b\\|[\x0e\x0f]", "", line), style)
        rows.append(found)
        columns = max([columns] + [column + len(text) for column, text, _ in found])
    width, height = columns * WIDTH + 24, len(rows) * HEIGHT + 24
    title = escape(sys.argv[1])
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img">',
        f"<title>{title}</title>",
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
        "<g font-family=\"ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"14\">",
    ]
    for row, found in enumerate(rows):
        for column, text, style in found:
            x, y, wide = 12 + column * WIDTH, 12 + row * HEIGHT, len(text) * WIDTH
            ink, paper = style.get("ink", INK), style.get("paper", PAPER)
            if style.get("reverse"):
                ink, paper = paper, ink
            if paper != PAPER:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{HEIGHT}" fill="{paper}"/>')
            # Spaces at the ends would be dropped, and the rest stretched.
            x += (len(text) - len(text.lstrip())) * WIDTH
            text = text.strip()
            wide = len(text) * WIDTH
            if text:
                look = "".join(
                    f' {name}="{value}"'
                    for key, name, value in (
                        ("bold", "font-weight", "bold"),
                        ("italic", "font-style", "italic"),
                        ("underline", "text-decoration", "underline"),
                    )
                    if style.get(key)
                )
                out.append(
                    f'<text x="{x:.1f}" y="{y + 13.5}" fill="{ink}" textLength="{wide:.1f}" lengthAdjust="spacingAndGlyphs"{look}>'
                    f"{escape(text.replace(' ', chr(160)))}</text>"
                )
    out.append("</g></svg>")
    print("\n".join(out))


main()
