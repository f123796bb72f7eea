//! Points and rectangles. x grows to the right, y downwards, as in SVG; a unit is a CSS pixel.

use std::ops::{Add, Mul, Sub};

/// A point, or the vector from one point to another.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// The horizontal coordinate.
    pub x: f64,
    /// The vertical coordinate.
    pub y: f64,
}

/// The point `(x, y)`.
pub const fn point(x: f64, y: f64) -> Point {
    Point { x, y }
}

impl Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        point(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Point;

    fn sub(self, other: Point) -> Point {
        point(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;

    fn mul(self, factor: f64) -> Point {
        point(self.x * factor, self.y * factor)
    }
}

impl Point {
    /// The length of the vector.
    pub fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// The point at a distance from this one, on the way to another.
    pub(crate) fn toward(self, other: Point, distance: f64) -> Point {
        let way = other - self;
        let length = way.length();
        self + point(way.x / length * distance, way.y / length * distance)
    }
}

/// A polyline with additional points near its corners, at a distance of at most `reach`, so that
/// [`Line::smooth`](crate::scene::Line) rounds only the corners and not whole segments.
pub(crate) fn soften(points: &[Point], reach: f64) -> Vec<Point> {
    let near = |corner: Point, other: Point| {
        let way = other - corner;
        corner + way * (reach / way.length()).min(0.5)
    };
    let mut soft = Vec::with_capacity(3 * points.len());
    soft.extend(points.first());
    for triple in points.windows(3) {
        let [before, corner, after] = [triple[0], triple[1], triple[2]];
        soft.extend([near(corner, before), corner, near(corner, after)]);
    }
    soft.extend(points.last().filter(|_| points.len() > 1));
    soft
}

/// A count as a floating-point number, to compute lengths.
#[expect(clippy::cast_precision_loss, reason = "pictures have few lines, rows and tracks")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

/// A side of a line, for a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A width and a height.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Size {
    /// The width.
    pub width: f64,
    /// The height.
    pub height: f64,
}

/// An axis-parallel rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    /// The left side.
    pub left: f64,
    /// The upper side.
    pub top: f64,
    /// The right side, not left of `left`.
    pub right: f64,
    /// The lower side, not above `top`.
    pub bottom: f64,
}

impl Rect {
    /// The rectangle with its upper left corner at a point.
    pub fn at(corner: Point, size: Size) -> Self {
        Rect {
            left: corner.x,
            top: corner.y,
            right: corner.x + size.width,
            bottom: corner.y + size.height,
        }
    }

    /// The smallest rectangle that contains all points; `None` without points.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        points.into_iter().map(|p| Rect::at(p, Size::default())).reduce(Rect::union)
    }

    /// The width.
    pub fn width(self) -> f64 {
        self.right - self.left
    }

    /// The height.
    pub fn height(self) -> f64 {
        self.bottom - self.top
    }

    /// The center.
    pub fn center(self) -> Point {
        point(f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }

    /// The smallest rectangle that contains both.
    #[must_use]
    pub fn union(self, other: Rect) -> Rect {
        Rect {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The rectangle with each side moved outwards.
    #[must_use]
    pub fn grow(self, by: f64) -> Rect {
        Rect {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    /// The rectangle moved by a vector.
    #[must_use]
    pub fn shift(self, by: Point) -> Rect {
        Rect {
            left: self.left + by.x,
            top: self.top + by.y,
            right: self.right + by.x,
            bottom: self.bottom + by.y,
        }
    }

    /// Whether the rectangle contains another rectangle, sides included.
    pub fn contains(self, other: Rect) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && other.right <= self.right
            && other.bottom <= self.bottom
    }

    /// Whether the interiors intersect.
    pub fn overlaps(self, other: Rect) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_is_not_overlapping() {
        let unit = Rect::at(point(0.0, 0.0), Size { width: 1.0, height: 1.0 });
        assert!(!unit.overlaps(unit.shift(point(1.0, 0.0))));
        assert!(unit.overlaps(unit.shift(point(0.9, 0.9))));
        assert!(unit.contains(unit) && unit.grow(1.0).contains(unit));
        assert_eq!(unit.union(unit.shift(point(1.0, 2.0))).center(), point(1.0, 1.5));
    }
}
