//! Tests of the options of both dialects.

use expect_test::{Expect, expect};
use otus_syntax::{Source, parse_spec, print};

use crate::show;

/// Checks the printed form of a text, which is a fixed point, and its diagnostics.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let source = Source::new("x.hcf", text);
    let parsed = parse_spec(&source);
    let printed = print::spec(&parsed.tree);
    expected.assert_eq(&format!("{printed}{}", show(&source, &parsed.diagnostics)));
    let again = parse_spec(&Source::new("x.hcf", printed.clone()));
    assert_eq!(print::spec(&again.tree), printed);
}

#[test]
fn options_of_2020() {
    check(
        "@analyze_option{ loggers = [graphic=svg]; semantics = prefix; strategy = DFS; goal = Pass;
           frontier_priorities = [emission=0,reception=1,in_loop=-1] }
         @explore_option{ strategy = BFS; loggers = [graphic=png];
           pre_filters = [ max_depth = 3, max_loop_depth = 1, max_node_number = 7 ] }",
        &expect![[r#"
            @analyze_option{
              loggers = [graphic[svg]];
              analysis_kind = prefix;
              strategy = DFS;
              goal = Pass;
              priorities = [emission = 0, reception = 1, loop = -1]
            }
            @explore_option{
              strategy = BFS;
              loggers = [graphic[png]];
              filters = [max_depth = 3, max_loop_depth = 1, max_node_number = 7]
            }
        "#]],
    );
}

#[test]
fn options_of_today() {
    check(
        "@explore_option{
           loggers = [graphic[svg,vertical], tracegen[generation = exact, partition={(l1,l2),(l3)}]];
           strategy = HCS; filters = [max depth = 35, max loop depth = 4, max node number = 250];
           priorities = random }
         @analyze_option{
           loggers = [graphic[format=png,layout=horizontal,draw_sd=true,draw_tt=False,draw_legend=⊥,output=x]];
           analysis_kind = simulate [before = true, loop max depth, reset = true, multiply = false, act num = 10];
           strategy = Depth First Search; priorities = [simu = -1, randomize = true]; goal = WeakPass;
           local_analysis = only front; memoize = true; partial_order_reduction = false; }",
        &expect![[r#"
            @explore_option{
              loggers = [graphic[svg, vertical], tracegen[generation = exact, partition = {(l1, l2), (l3)}]];
              strategy = HCS;
              filters = [max_depth = 35, max_loop_depth = 4, max_node_number = 250];
              priorities = random
            }
            @analyze_option{
              loggers = [graphic[png, horizontal, draw_sd = true, draw_tt = false, draw_legend = false, output = x]];
              analysis_kind = simulate[before = true, loop max depth, reset = true, multiply = false, act num = 10];
              strategy = DFS;
              priorities = [simu = -1, randomize = true];
              goal = WeakPass;
              local_analysis = front;
              memoize = true;
              partial_order_reduction = false
            }
        "#]],
    );
}

#[test]
fn spellings_of_the_same_option() {
    check(
        "@explore_option{ strategy = BreadthFS }",
        &expect![[r#"
        @explore_option{
          strategy = BFS
        }
    "#]],
    );
    check(
        "@explore_option{ strategy = High Coverage Search }",
        &expect![[r#"
        @explore_option{
          strategy = HCS
        }
    "#]],
    );
    check(
        "@explore_option{ loggers = [tracegen[accepted, partition=discrete], nfa] }",
        &expect![[r#"
            @explore_option{
              loggers = [tracegen[generation = exact, partition = discrete], nfa]
            }
        "#]],
    );
    check(
        "@explore_option{ loggers = [tracegen[generation=modulo depth 3, trace_prefix=t]] }",
        &expect![[r#"
            @explore_option{
              loggers = [tracegen[generation = modulo depth 3, trace_prefix = t]]
            }
        "#]],
    );
    check(
        "@analyze_option{ analysis_kind = hide }",
        &expect![[r#"
        @analyze_option{
          analysis_kind = eliminate
        }
    "#]],
    );
    check(
        "@analyze_option{ analysis_kind = simulate }",
        &expect![[r#"
        @analyze_option{
          analysis_kind = simulate
        }
    "#]],
    );
    check(
        "@analyze_option{ analysis_kind = simulate[slice, loop maxnum, act none] }",
        &expect![[r#"
            @analyze_option{
              analysis_kind = simulate[before = true, loop max num, act none]
            }
        "#]],
    );
    check(
        "@analyze_option{ analysis_kind = simulate[preamble=true, loop num=2, act max num, reinitialize=⊤, dependent=TRUE] }",
        &expect![[r#"
            @analyze_option{
              analysis_kind = simulate[before = true, loop num = 2, act max num, reset = true, multiply = true]
            }
        "#]],
    );
    check(
        "@analyze_option{ priorities = [loop=1, elim=2, hide=3, step=4, multi_rdv=5, random] }",
        &expect![[r#"
            @analyze_option{
              priorities = [loop = 1, elim = 2, elim = 3, step = 4, multi_rdv = 5, randomize = true]
            }
        "#]],
    );
    check(
        "@analyze_option{ goal = None }",
        &expect![[r#"
        @analyze_option{
          goal = None
        }
    "#]],
    );
    check(
        "@analyze_option{}",
        &expect![[r#"
        @analyze_option{}
    "#]],
    );
}

#[test]
fn options_that_are_not_needed_are_kept_and_noted() {
    check(
        "@canonize_option{ search_all; strategy = DFS }",
        &expect![[r#"
        @canonize_option{
          search_all = true;
          strategy = DFS
        }
        note[O0504] 1:1 `@` `@canonize_option` is accepted, and changes nothing: Otus normalises interactions by itself
    "#]],
    );
    check(
        "@analyze_option{ priorities = [simpl=1, flush=0] }",
        &expect![[r#"
        @analyze_option{
          priorities = [simpl = 1, flush = 0]
        }
        note[O0504] 1:32 `simpl` the priority `simpl` is accepted, and changes nothing: Otus has no rewriting steps to order
        note[O0504] 1:41 `flush` the priority `flush` is accepted, and changes nothing: Otus has no rewriting steps to order
    "#]],
    );
    check(
        "@analyze_option{ loggers = [graphic[draw_sub_processes=true]] }",
        &expect![[r#"
        @analyze_option{
          loggers = [graphic[draw_sub_processes = true]]
        }
        note[O0504] 1:37 `draw_sub_processes` `draw_sub_processes` is accepted, and changes nothing: local analyses are drawn apart
    "#]],
    );
}

#[test]
fn faults_in_options() {
    check(
        "@analyze_option{ stratgy = DFS }",
        &expect![[r#"
        @analyze_option{}
        error[O0501] 1:18 `stratgy` there is no option `stratgy`
          help: did you mean `strategy`?
          fix: `stratgy` → `strategy`
    "#]],
    );
    check(
        "@analyze_option{ strategy = DSF }",
        &expect![[r#"
        @analyze_option{}
        error[O0502] 1:29 `DSF` `DSF` is not a strategy
          help: did you mean `DFS`?
          fix: `DSF` → `DFS`
    "#]],
    );
    check(
        "@analyze_option{ strategy }",
        &expect![[r#"
        @analyze_option{}
        error[O0502] 1:18 `strategy` `strategy` has no value
          help: write `strategy = …`
    "#]],
    );
    check(
        "@analyze_option{ goal = ; strategy = }",
        &expect![[r#"
            @analyze_option{}
            error[O0204] 1:25 `;` expected a value, found `;`
            error[O0204] 1:38 `}` expected a value, found `}`
        "#]],
    );
    check(
        "@analyze_option{ colour = blue }",
        &expect![[r#"
        @analyze_option{}
        error[O0501] 1:18 `colour` there is no option `colour`
          help: the options are loggers, strategy, filters, priorities, analysis_kind, goal, local_analysis, memoize and partial_order_reduction
    "#]],
    );
    check(
        "@analyze_option{ goal = Pass; goal = WeakPass }",
        &expect![[r#"
        @analyze_option{
          goal = Pass;
          goal = WeakPass
        }
        warning[O0503] 1:31 `goal` this option was set before; the last one counts
          1:18 first set here
          help: keep one of the two
    "#]],
    );
    check(
        "@explore_option{ goal = Pass }",
        &expect![[r#"
        @explore_option{
          goal = Pass
        }
        warning[O0505] 1:18 `goal` `goal` has no meaning in an exploration
          help: move it to @analyze_option
    "#]],
    );
    check(
        "@analyze_option{ goal = Pass strategy = DFS }",
        &expect![[r#"
            @analyze_option{
              goal = Pass;
              strategy = DFS
            }
            error[O0204] 1:30 `strategy` `;` is missing between two options
              help: separate options by `;`
              fix: `` → `;`
        "#]],
    );
    check(
        "@explore_option{ filters = max_depth }",
        &expect![[r#"
        @explore_option{
          filters = []
        }
        error[O0502] 1:28 `max_depth` `filters` takes a list
          help: put it in brackets: filters = […]
    "#]],
    );
    check(
        "@explore_option{ filters = [max_depth = -3, max_deth = 1, max_depth] }",
        &expect![[r#"
            @explore_option{
              filters = []
            }
            error[O0506] 1:41 `-3` this number cannot be negative
              help: write a number such as `= 0` or `= 10`
            error[O0502] 1:45 `max_deth` `max_deth` is not a filter
              help: did you mean `max_depth`?
              fix: `max_deth` → `max_depth`
            error[O0506] 1:59 `max_depth` the number is missing
              help: write a number such as `= 0` or `= 10`
        "#]],
    );
    check(
        "@explore_option{ filters = [max_depth = 99999999999999999999] }",
        &expect![[r#"
            @explore_option{
              filters = []
            }
            error[O0506] 1:41 `99999999999999999999` this number is too large
              help: the largest is 18446744073709551615; leave the option out for no limit
        "#]],
    );
    check(
        "@analyze_option{ priorities = [emission, recption=1, reception=x] }",
        &expect![[r#"
            @analyze_option{
              priorities = []
            }
            error[O0506] 1:32 `emission` the level of this priority is missing
              help: write a number such as `= 1` or `= -1`
            error[O0502] 1:42 `recption` `recption` is not a priority
              help: did you mean `reception`?
              fix: `recption` → `reception`
            error[O0506] 1:64 `x` this is not a number
              help: write a number such as `= 1` or `= -1`
        "#]],
    );
    check(
        "@analyze_option{ memoize = yes }",
        &expect![[r#"
        @analyze_option{}
        error[O0502] 1:28 `yes` `yes` is not `true` or `false`
          help: known are true, false
    "#]],
    );
    check(
        "@analyze_option{ analysis_kind = simulate[loop max width, act max depth, befor=true] }",
        &expect![[r#"
            @analyze_option{
              analysis_kind = simulate
            }
            error[O0502] 1:43 `loop max width` `loop max width` is not an option of `simulate`
              help: did you mean `loop max depth`?
              fix: `loop max width` → `loop max depth`
            error[O0502] 1:59 `act max depth` `act max depth` is not an option of `simulate`
              help: known are before, multiply, reset, loop max depth, loop max num, loop num, loop none, act max num, act num
            error[O0502] 1:74 `befor` `befor` is not an option of `simulate`
              help: did you mean `before`?
              fix: `befor` → `before`
        "#]],
    );
    check(
        "@explore_option{ loggers = [grafic[svg], tracegen[partition = discreet, generation = exakt]] }",
        &expect![[r#"
            @explore_option{
              loggers = [tracegen]
            }
            error[O0502] 1:29 `grafic` `grafic` is not a logger
              help: did you mean `graphic`?
              fix: `grafic` → `graphic`
            error[O0502] 1:63 `discreet` `discreet` is not a partition
              help: did you mean `discrete`?
              fix: `discreet` → `discrete`
            error[O0502] 1:86 `exakt` `exakt` is not a kind of generation
              help: did you mean `exact`?
              fix: `exakt` → `exact`
        "#]],
    );
    check(
        "@explore_option{ loggers = [tracegen[partition = {l1,(l2}]] }",
        &expect![[r#"
        @explore_option{
          loggers = [tracegen[partition = {(l2)}]]
        }
        error[O0204] 1:53 `,` expected `(` before the lifelines of a co-localization, found `,`
    "#]],
    );
    check(
        "@analyze_option{ loggers = [graphic[svg }",
        &expect![[r#"
        @analyze_option{
          loggers = [graphic[svg]]
        }
        error[O0205] 1:28 `[` this `[` is never closed
          1:41 `]` expected, `}` found
          help: add the missing `]`
        error[O0205] 1:36 `[` this `[` is never closed
          1:41 `]` expected, `}` found
          help: add the missing `]`
    "#]],
    );
    check(
        "@analyze_option{ loggers = [[[[[[[[[[[[x]]]]]]]]]]]] }",
        &expect![[r#"
        @analyze_option{
          loggers = []
        }
        error[O0204] 1:29 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:30 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:31 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:32 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:33 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:34 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:35 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:36 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:37 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:38 `[` expected an entry, `,` or `]`, found `[`
        error[O0204] 1:39 `[` expected an entry, `,` or `]`, found `[`
        error[O0502] 1:40 `x` `x` is not a logger
          help: known are graphic, tracegen, nfa
        error[O0204] 1:42 `]` expected `;` or `}`, found `]`
    "#]],
    );
    check(
        "@analyze_option{ goal = Pass",
        &expect![[r#"
        @analyze_option{
          goal = Pass
        }
        error[O0205] 1:16 `{` this `{` is never closed
          1:29 `}` expected, the end of the text found
          help: add the missing `}`
    "#]],
    );
    check(
        "@analyze_option{ = }",
        &expect![[r#"
        @analyze_option{}
        error[O0204] 1:18 `=` expected an option such as `strategy = DFS`, found `=`
    "#]],
    );
}
