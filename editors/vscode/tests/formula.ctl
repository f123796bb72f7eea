// SYNTAX TEST "source.otus.ctl" "formulas"
safe: AG !(p.critical & q.critical)
// <---- entity.name.function.otus
//    ^^ keyword.control.modality.otus
//       ^ keyword.operator.logical.otus
//         ^^^^^^^^^^ variable.other.otus
//                    ^ keyword.operator.logical.otus
let bound = x < 2
// <--- keyword.control.otus
//  ^^^^^ entity.name.function.otus
//            ^ keyword.operator.comparison.otus
//              ^ constant.numeric.otus
mutex(p.critical, q.critical)
// <----- support.function.otus
