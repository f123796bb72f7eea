//! Plots: points, lines and boxes.

use otus_draw::layout::plot::{Axis, Data, Figure, Mark, Panel, Series, Spread, plot};
use otus_draw::scene::{Shape, Tone};
use otus_draw::{Scene, Theme, svg};

use crate::show::check;

fn series(name: &str, tone: Tone, mark: Mark, data: Data) -> Series {
    Series { name: name.to_owned(), tone, mark, data }
}

/// Two lines and a limit.
fn growth() -> Figure {
    let line = |factor: f64, power: f64| {
        let at = [100.0_f64, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4];
        Data::Line(at.iter().map(|&n| [n, factor * n.powf(power)]).collect())
    };
    let panel = Panel {
        x: Axis::log("events"),
        y: Axis::log_seconds("time to an answer"),
        series: vec![
            series("theirs", Tone::Normal, Mark::Square, line(1e-6, 2.0)),
            series("ours, as written", Tone::Assumed, Mark::Diamond, line(1e-8, 1.7)),
            series("ours", Tone::Active, Mark::Disc, line(1e-8, 1.0)),
            series("ten minutes", Tone::Faded, Mark::Disc, Data::Level(600.0)),
        ],
        ..Panel::default()
    };
    let title = "Peterson for two".to_owned();
    let note = "A line that ends had no more than ten minutes.".to_owned();
    Figure { title, note, columns: 1, shared: false, panels: vec![panel] }
}

/// Five clouds with one legend.
fn clouds(points: usize) -> Figure {
    let mut random = fastrand::Rng::with_seed(11);
    let mut cloud = |scale: f64| {
        let point = |random: &mut fastrand::Rng| {
            [1.0 + 60.0 * random.f64(), scale * 10_f64.powf(2.0 * random.f64())]
        };
        Data::Points((0..points).map(|_| point(&mut random)).collect())
    };
    let mut panel = |title: &str| Panel {
        title: title.to_owned(),
        x: Axis::linear("actions"),
        y: Axis::log_seconds("time"),
        series: vec![
            series("search, explained", Tone::Normal, Mark::Square, cloud(1e-4)),
            series("search, refused", Tone::Faded, Mark::Diamond, cloud(3e-4)),
            series("engine, explained", Tone::Active, Mark::Disc, cloud(1e-6)),
            series("engine, refused", Tone::Bad, Mark::Triangle, cloud(2e-6)),
        ],
    };
    let panels = ["ACPT", "PREF", "NOIS", "SACT", "SCMP"].map(&mut panel).to_vec();
    let title = "The alternating bit protocol: time by length".to_owned();
    Figure { title, note: String::new(), columns: 3, shared: true, panels }
}

/// Boxes of two kinds beside each other.
fn boxes() -> Figure {
    let spread = |scale: f64| Spread {
        min: scale * 0.2,
        q1: scale,
        median: scale * 1.5,
        q3: scale * 2.0,
        max: scale * 30.0,
    };
    let place = |shift: f64, scale: f64| {
        (0..4_u32).map(|at| (f64::from(at) + shift, spread(scale * f64::from(at + 1)))).collect()
    };
    let panel = Panel {
        x: Axis::names("set", ["T", "S", "Mia", "Msa"]),
        y: Axis::log_seconds("time"),
        series: vec![
            series("search", Tone::Normal, Mark::Square, Data::Boxes(place(-0.2, 1e-3))),
            series("engine", Tone::Active, Mark::Disc, Data::Boxes(place(0.2, 1e-5))),
        ],
        ..Panel::default()
    };
    Figure { title: "Slices".to_owned(), columns: 1, panels: vec![panel], ..Figure::default() }
}

fn drawn(name: &str, figure: &Figure) -> Scene {
    let scene = plot(figure);
    check(name, &scene);
    scene
}

#[test]
fn lines_over_two_logarithmic_axes() {
    let scene = drawn("plot-lines", &growth());
    insta::assert_snapshot!("plot_lines", svg(&scene, Theme::Light));
}

#[test]
fn clouds_in_panels_that_can_be_compared() {
    let scene = drawn("plot-clouds", &clouds(12));
    insta::assert_snapshot!("plot_clouds", svg(&scene, Theme::Auto));
}

#[test]
fn boxes_beside_each_other() {
    let scene = drawn("plot-boxes", &boxes());
    insta::assert_snapshot!("plot_boxes", svg(&scene, Theme::Dark));
}

#[test]
fn points_on_one_another_are_painted_once() {
    let scene = drawn("plot-many", &clouds(2_000));
    let marks = scene.items.iter().filter(|item| matches!(item.shape, Shape::Disc { .. })).count();
    // A cell of five by five pixels has at most one, in five panels and the legend.
    assert!(marks <= 5 * 51 * 35 + 1, "{marks}");
    assert!(marks < 5 * 2_000, "{marks}");
    let mut same = boxes();
    same.panels[0].series =
        vec![series("all alike", Tone::Good, Mark::Disc, Data::Points(vec![[1.0, 1.0]; 1000]))];
    // One in the panel and one in the legend.
    let circles = svg(&drawn("plot-alike", &same), Theme::Light).matches("<circle").count();
    assert_eq!(circles, 2);
}

#[test]
fn what_cannot_be_shown_is_counted() {
    let mut figure = growth();
    let odd = vec![[0.0, 1.0], [10.0, f64::NAN], [10.0, f64::INFINITY], [-1.0, 1.0], [10.0, 1.0]];
    figure.panels[0].series = vec![series("odd", Tone::Good, Mark::Disc, Data::Line(odd))];
    let scene = drawn("plot-odd", &figure);
    assert!(scene.description.contains("4 of them cannot be shown"), "{}", scene.description);
}

#[test]
fn empty_and_odd_figures_have_no_flaws() {
    drawn("plot-nothing", &Figure::default());
    let panel = Panel::default();
    drawn("plot-empty", &Figure { panels: vec![panel.clone(), panel], ..Figure::default() });
    let mut figure = clouds(3);
    figure.shared = false;
    figure.columns = 2;
    for panel in &mut figure.panels {
        panel.title =
            "a title that is far too long for the room that there is above a panel".into();
        panel.x.label = panel.title.repeat(3);
        panel.y.label = panel.title.repeat(3);
        for series in &mut panel.series {
            series.name =
                format!("{}, which is told at length in the legend of the figure", series.name);
        }
    }
    figure.note = "words ".repeat(200);
    drawn("plot-long", &figure);
}

#[test]
fn random_figures_have_no_flaws() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..60 {
        let mut figure = if random.bool() { growth() } else { clouds(4) };
        for panel in &mut figure.panels {
            let number = |random: &mut fastrand::Rng| 10_f64.powf(random.f64() * 24.0 - 12.0);
            let count = random.usize(0..5);
            let points = (0..count).map(|_| [number(&mut random), number(&mut random)]).collect();
            if random.bool() {
                panel.x = Axis::linear("x");
            }
            if random.bool() {
                panel.y = Axis::linear("y");
            }
            panel.series[0].data = Data::Line(points);
        }
        drawn("plot-random", &figure);
    }
}
