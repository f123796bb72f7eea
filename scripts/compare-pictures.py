"""Compares NAME.png with NAME.chromium.png for every NAME of a folder. The screenshot has the picture in its upper left corner.

Two renderers never agree on every pixel, because they smooth edges and hint glyphs differently. So both pictures are reduced
to blocks of a few pixels, and only few blocks may differ by much.
"""

import pathlib
import sys

from PIL import Image, ImageChops

folder = pathlib.Path(sys.argv[1])
names = sorted(path.name[: -len(".svg")] for path in folder.glob("*.svg"))
bad = 0
for name in names:
    ours = Image.open(folder / f"{name}.png").convert("L")
    theirs = Image.open(folder / f"{name}.chromium.png").convert("L")
    size = ours.size
    if theirs.width < ours.width or theirs.height < ours.height:
        print(f"{name}: {ours.size} by Otus, {theirs.size} by Chromium")
        bad += 1
        continue
    small = (max(1, size[0] // 6), max(1, size[1] // 6))
    blocks = [image.crop((0, 0, *size)).resize(small, Image.BOX) for image in (ours, theirs)]
    different = ImageChops.difference(*blocks).point(lambda value: 255 if value > 70 else 0)
    share = different.histogram()[255] / (small[0] * small[1])
    verdict = "ok" if share < 0.01 else "DIFFERENT"
    print(f"{verdict} {name}: {100 * share:.2f} % of blocks differ")
    bad += verdict != "ok"
print(f"pictures: {len(names) - bad} alike, {bad} different")
sys.exit(bad > 0 or not names)
