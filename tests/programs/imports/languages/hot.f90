! See hot.cc.
module shapes
  implicit none
contains
  subroutine grow(total, rounds)
    integer(8), intent(inout) :: total
    integer(8), intent(in) :: rounds
    integer(8) :: i
    do i = 1, rounds
      total = total / (mod(i, 7_8) + 1) + total / (mod(i, 5_8) + 2) + i * 1000  ! hot
    end do
  end subroutine

  integer(8) function dear(total, rounds)
    integer(8), intent(inout) :: total
    integer(8), intent(in) :: rounds
    call grow(total, rounds * 9)
    dear = total + 1
  end function

  integer(8) function cheap(total, rounds)
    integer(8), intent(inout) :: total
    integer(8), intent(in) :: rounds
    call grow(total, rounds)
    cheap = total + 2
  end function
end module

program hot
  use shapes
  implicit none
  integer(8) :: total, rounds, cost
  character(20) :: word
  rounds = 1000
  total = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) rounds
  end if
  cost = cheap(total, rounds)
  cost = cost + dear(total, rounds)
  print *, cost
end program
