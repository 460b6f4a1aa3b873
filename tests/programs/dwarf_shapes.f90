module shapes
contains
  integer function area(w, h) ! area
    integer, intent(in) :: w, h
    area = w * h
  end function area
end module shapes

program demo ! demo
  use shapes
  print *, area(2, 3), twice(4)
contains
  integer function twice(x) ! twice
    integer, intent(in) :: x
    twice = x + x
  end function twice
end program demo

subroutine plain(x) ! plain
  integer :: x
  x = x + 1
end subroutine plain
