! A relaxation, a product of matrices, and a sum of transcendental functions.
module solving
  implicit none
contains
  subroutine relax(a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n)
    real(8), intent(inout) :: b(n, n)
    integer :: i, j
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = 0.25d0 * (a(i-1, j) + a(i+1, j) + a(i, j-1) + a(i, j+1))
      end do
    end do
  end subroutine

  function residual(a, b, n) result(r)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8) :: r
    r = sqrt(sum((a - b)**2))
  end function

  subroutine product(a, b, c, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(out) :: c(n, n)
    integer :: i, j, k
    c = 0
    do j = 1, n
      do k = 1, n
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine
end module

program stock
  use solving
  implicit none
  integer, parameter :: n = 100
  real(8) :: a(n, n), b(n, n), c(n, n), r
  integer :: i
  a = 0
  a(1, :) = 1
  b = a
  r = 0
  do i = 1, 18000
    call relax(a, b, n)
    call relax(b, a, n)
    if (mod(i, 3) == 0) r = r + residual(a, b, n)
    if (mod(i, 40) == 0) call product(a, b, c, n)
  end do
  print '(2f20.10)', r, sum(c)
  stop 6
end program
