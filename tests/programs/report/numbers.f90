! Fortran: module procedures, a contained one, a recursive one and a plain subroutine.
module numbers
  implicit none
contains
  pure integer function twice(n)
    integer, intent(in) :: n
    twice = n + n
  end function twice

  recursive integer function fibonacci(n) result(value)
    integer, intent(in) :: n
    if (n < 2) then
      value = n
    else
      value = fibonacci(n - 1) + fibonacci(n - 2)
    end if
  end function fibonacci

  integer function smoothed(n)
    integer, intent(in) :: n
    smoothed = inner(n) + inner(n + 1)
  contains
    integer function inner(m)
      integer, intent(in) :: m
      inner = mod(m * 7, 11)
    end function inner
  end function smoothed
end module numbers

subroutine gather(total, n)
  use numbers
  implicit none
  integer, intent(inout) :: total
  integer, intent(in) :: n
  total = total + twice(n) + smoothed(n)
end subroutine gather

program main
  use numbers
  implicit none
  integer :: i, total
  total = 0
  do i = 1, 50
    call gather(total, i)
    total = total + fibonacci(mod(i, 7))
  end do
  if (total == 3) print *, total
end program main
