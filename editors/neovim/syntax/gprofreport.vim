" gprof's reports: titles, entries of the call graph, and what is no function.
if exists('b:current_syntax')
  finish
endif
syntax match gprofTitle /^\(Flat profile:\|\s*Call graph.*\|Index by function name\|\*\*\* File .*\)$/
syntax match gprofPrimary /^\[\d\+\].*$/
syntax match gprofRule /^-\{4,}$/
syntax match gprofNoFunction /<spontaneous>\|<cycle \d\+[^>]*>/ containedin=gprofPrimary
highlight default link gprofTitle Title
highlight default link gprofPrimary Identifier
highlight default link gprofRule NonText
highlight default link gprofNoFunction Comment
let b:current_syntax = 'gprofreport'
