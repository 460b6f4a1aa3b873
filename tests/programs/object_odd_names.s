# Names, sections and kinds of symbols at the edges of GNU gprof's rules.
	.macro function name
	.type	\name, @function
\name:	nop
	.endm
	.text
	function "f."
	function "f2..1"
	function "f3.1."
	function "f4.1"
	function "bad.x"
	function "g.1"
	function "good"
	function "h.constprop."
	function "h2.constprop.0"
	function "zz"
	function "h3.clone.0.1"
	function "h4.part.0"
	function "i.constprop.0.constprop.1"
	function "i2.1.clone.3"
	function "i3.clone."
	function "d$1"
	function "__gnu_compiled_c"
	.globl	_under_scored, plain
	.type	_under_scored, @function
	.type	plain, @function
_under_scored:
plain:	nop
	.globl	global_label
	.type	local_function, @function
local_function:
global_label: nop
local_label: nop
	.weak	weak_absolute
weak_absolute = 0x1234
	.globl	global_absolute
global_absolute = 0x1235
	.globl	unique_object
	.type	unique_object, @gnu_unique_object
unique_object: nop
	.globl	resolved
	.type	resolved, @gnu_indirect_function
resolved: nop
	.globl	code_object
	.type	code_object, @object
code_object: nop
	.type	local_object, @object
local_object: nop
	.data
	.weak	weak_data, weak_object
weak_data: .long 0
	.type	weak_object, @object
weak_object: .long 0
	.globl	data_function
	.type	data_function, @function
data_function: .long 1
	.section .edata,"ax",@progbits
	.globl	in_edata
in_edata: nop
	.section .edata1,"ax",@progbits
	.globl	in_edata1
in_edata1: nop
	.section .edataq,"ax",@progbits
	.globl	in_edataq
in_edataq: nop
	.section .pdata.exec,"ax",@progbits
	.globl	in_pdata
in_pdata: nop
	.section .debug_code,"ax",@progbits
	.globl	in_debug_code
in_debug_code: nop
	.section .note.GNU-stack,"",@progbits
