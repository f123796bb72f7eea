" Colours of .hsf, .hif, .hcf, .htf and .ctl.
if exists('b:current_syntax')
  finish
endif

syntax match otusLifeline /\k\+\ze\s*\%(--\|[!?]\)/
syntax match otusLifeline /->\s*\zs\k\+/
syntax match otusMessage /\%(--\s*\%(<a\?synch>\s*\)\?\)\@<=\k\+/
syntax match otusMessage /\k[!?]\@<=\s*\zs\k\+/
syntax match otusArrow /--\|->|\?\|[!?]/
syntax match otusOperator /\<\%(strict\|seq\|par\|alt\|coreg\|loop[SWHPC]\|loop_\%(strict\|seq\|par\)\|new\|fresh\)\>\ze\s*[( ]/
syntax match otusSection /@\%(message\|lifeline\|\k\+_option\)/
syntax match otusOperator /\<\%(AG\|AF\|AX\|EG\|EF\|EX\|forall\|exists\|let\)\>/
syntax match otusNumber /\<\d\+\%(\.\d\+\)\?/
syntax region otusString start=/"/ skip=/\\./ end=/"\|$/
syntax match otusComment /\/\/.*$/
syntax region otusComment start=/\/\*/ end=/\*\//

highlight default link otusLifeline Type
highlight default link otusMessage Function
highlight default link otusArrow Operator
highlight default link otusOperator Keyword
highlight default link otusSection PreProc
highlight default link otusNumber Number
highlight default link otusString String
highlight default link otusComment Comment

let b:current_syntax = 'otus'
