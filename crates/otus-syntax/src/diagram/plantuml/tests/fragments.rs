//! Tests of fragments, groups that are operators, and directives.

use expect_test::expect;

use super::check;

#[test]
fn fragments() {
    check(
        "alt ok
  A -> B : a
else not ok
  A -> B : b
end
opt
  A -> B : c
end
par
  A -> B : d
else
  A -> B : e
also
  A -> B : f
end
break stop
end
critical
end
group my label [second]
end alt
loop 3 times
end
loop Every minute
end
LOOP
END
alt#Gold #LightBlue x
else #Pink y
end
opt #red
end",
        &expect![[r#"
            open Alt
            "A" -> "B" : "a"
            next Else
            "A" -> "B" : "b"
            close
            open Opt
            "A" -> "B" : "c"
            close
            open Par
            "A" -> "B" : "d"
            next And
            "A" -> "B" : "e"
            next And
            "A" -> "B" : "f"
            close
            open Break
            close
            open Frame
            close
            open Frame
            close
            open Loop(Repetition { least: 3, most: Some(3), stated: true })
            close
            open Loop(Repetition { least: 0, most: None, stated: false })
            close
            open Loop(Repetition { least: 0, most: None, stated: true })
            close
            open Alt
            next Else
            close
            open Opt
            close
            note O0606 "alt ok" guards are kept in the picture only (5 places); a condition is not checked: any operand can happen
        "#]],
    );
}

#[test]
fn groups_that_are_operators() {
    check(
        "group strict
group coreg(A, \"B c\")
end
end
group loopS [why]
end
group loopC(A)
end
group broadcast
end
group strict order
end",
        &expect![[r#"
            open block strict
            open block coreg(A, "B c")
            close
            close
            open block loopS
            close
            open block loopC(A)
            close
            open block broadcast
            close
            open Frame
            close
        "#]],
    );
}

#[test]
fn directives_in_comments() {
    check(
        "' otus: strict
  ' otus: synch
  A -> B : m
' otus: end
'otus: environment E
' otus: nothing
' just a comment
/' otus: par '/
' otus: loopP
loop
end
' otus: empty",
        &expect![[r#"
            open block strict
            otus: synch
            "A" -> "B" : "m"
            close
            otus: environment E
            otus: loopP
            open Loop(Repetition { least: 0, most: None, stated: true })
            close
            otus: empty
            error O0609 "nothing" there is no directive `nothing`; the directives are strict, seq, par, alt, coreg, broadcast, end, loopS, loopW, loopH, loopP, loopC, new, values, synch, critical, environment, name, empty, lifeline, message
        "#]],
    );
}

#[test]
fn critical_inside_par_is_only_in_order() {
    check(
        "par\nloop\ncritical x\nA -> B : m\nend\nend\nend\ncritical\nend\n' otus: par\ncritical\nend\n' otus: end",
        &expect![[r#"
            open Par
            open Loop(Repetition { least: 0, most: None, stated: true })
            open Frame
            "A" -> "B" : "m"
            close
            close
            close
            open Frame
            close
            open block par
            open Frame
            close
            close
            note O0617 "critical" `critical` fragments inside `par` are in order, but other operands may interleave (2 places)
        "#]],
    );
}
