program numbers
  implicit none
  integer :: i, total
  total = 0
  do i = 1, 100
    total = total + doubled(i)
  end do
  call shown(total)
contains
  integer function doubled(n)
    integer, intent(in) :: n
    doubled = 2 * n
  end function
  subroutine shown(n)
    integer, intent(in) :: n
    print '(A,I0)', 'total ', n
  end subroutine
end program
