@DECLARATIONS@

  given = 0
  if (command_argument_count() > 2) call give_up("give at most two names: values.txt table.csv")
  file = default_file
  if (command_argument_count() > 0) call get_command_argument(1, file)
  call name_values()
  call read_file()
  duration = values(1)
  step = values(2)
  every = values(3)
  x = values(first_of(3):first_of(6) - 1)
  efforts = values(first_of(6):first_of(7) - 1)
  inputs = values(first_of(7):first_of(8) - 1)
  call check_values()
  call set_up()
@if constraints
  call assemble()
@end
  out = output_unit
  if (command_argument_count() > 1) then
    call get_command_argument(2, table)
    open (newunit=out, file=trim(table), status="replace", action="write", recl=row_length, iostat=code)
    if (code /= 0) call give_up(trim(table) // ": the file cannot be written.")
  end if
  call run()

contains

  subroutine give_up(words)
    character(len=*), intent(in) :: words
    write (error_unit, "(a)") words
    flush (error_unit)
    call c_exit(1_c_int)
  end subroutine give_up

  subroutine note(line, words)
    integer, intent(in) :: line
    character(len=*), intent(in) :: words
    write (error_unit, "(a, ':', i0, ': ', a)") trim(file), line, words
  end subroutine note

  subroutine complain(line, words)
    integer, intent(in) :: line
    character(len=*), intent(in) :: words
    call note(line, words)
    flush (error_unit)
    call c_exit(1_c_int)
  end subroutine complain

  ! Digits with at most one point and an exponent: not what a read statement takes besides, such as nan or 2*3.
  pure function is_number(text) result(yes)
    character(len=*), intent(in) :: text
    logical :: yes
    integer :: at, before
    at = 1
    call skip(text, "+-", 1, at)
    before = at
    call skip(text, "0123456789", len(text), at)
    yes = at > before
    if (at <= len(text)) then
      if (text(at:at) == ".") then
        at = at + 1
        before = at
        call skip(text, "0123456789", len(text), at)
        yes = yes .or. at > before
      end if
    end if
    if (yes .and. at <= len(text)) then
      if (scan(text(at:at), "eE") == 1) then
        at = at + 1
        call skip(text, "+-", 1, at)
        before = at
        call skip(text, "0123456789", len(text), at)
        yes = at > before
      end if
    end if
    yes = yes .and. at > len(text)
  end function is_number

  pure subroutine skip(text, letters, most, at)
    character(len=*), intent(in) :: text, letters
    integer, intent(in) :: most
    integer, intent(inout) :: at
    integer :: k
    do k = 1, most
      if (at > len(text)) return
      if (index(letters, text(at:at)) == 0) return
      at = at + 1
    end do
  end subroutine skip

  ! Without blanks, tabs and carriage returns at both ends.
  pure function trimmed(text) result(inner)
    character(len=*), intent(in) :: text
    character(len=:), allocatable :: inner
    character(len=3), parameter :: blanks = " " // achar(9) // achar(13)
    integer :: first, last
    first = verify(text, blanks)
    last = verify(text, blanks, back=.true.)
    inner = ""
    if (first > 0) inner = text(first:last)
  end function trimmed

  subroutine read_file()
    character(len=line_length) :: text
    integer :: unit, code, length, line, own, k
    open (newunit=unit, file=trim(file), status="old", action="read", iostat=code)
    if (code /= 0) call give_up(trim(file) // ": the file cannot be opened.")
    line = 0
    own = 0
    do
      text = ""
      read (unit, "(a)", advance="no", size=length, iostat=code) text
      if (is_iostat_end(code)) exit
      line = line + 1
      if (code == 0) call complain(line, "the line is longer than @LINE@ letters.")
      if (.not. is_iostat_eor(code)) call give_up(trim(file) // ": the file cannot be read.")
      if (index(text(:length), achar(0)) > 0) call complain(line, "the line holds a zero byte.")
      k = 1
      if (line == 1 .and. index(text, char(239) // char(187) // char(191)) == 1) k = 4
      call read_line(line, text(k:length), own)
    end do
    close (unit)
    do k = 1, size(given)
      if (given(k) == 0) call complain(line, "the file ends here, and '" // trim(names(k)) // "' in [" // &
        trim(section_names(count(first_of(:7) <= k))) // "] has no value.")
    end do
  end subroutine read_file

  subroutine read_line(line, text, own)
    integer, intent(in) :: line
    character(len=*), intent(in) :: text
    integer, intent(inout) :: own
    character(len=:), allocatable :: rest, name
    integer :: k, mark
    mark = index(text, "#")
    if (mark == 0) mark = len(text) + 1
    rest = trimmed(text(:mark - 1))
    if (rest == "") return
    if (rest(1:1) /= "[") then
      call read_value(line, rest, own)
      return
    end if
    if (rest(len(rest):) /= "]") call complain(line, "'" // rest(:min(40, len(rest))) // "' has no closing bracket.")
    name = rest(2:len(rest) - 1)
    do k = 1, size(section_names)
      if (section_names(k) == name .and. len(name) > 0) then
        own = k
        return
      end if
    end do
    call complain(line, "there is no section [" // name(:min(40, len(name))) // "].")
  end subroutine read_line

  subroutine read_value(line, text, own)
    integer, intent(in) :: line, own
    character(len=*), intent(in) :: text
    character(len=:), allocatable :: name, value
    character(len=12) :: earlier
    real(real64) :: number
    integer :: k, mark, code
    mark = index(text, "=")
    if (mark == 0) call complain(line, "'" // text(:min(40, len(text))) // "' has not the form name = value.")
    name = trimmed(text(:mark - 1))
    value = trimmed(text(mark + 1:))
    if (own == 0) call complain(line, "'" // name(:min(40, len(name))) // &
      "' stands before the first section, such as [run].")
    do k = first_of(own), first_of(own + 1) - 1
      if (names(k) == name) exit
    end do
    if (k == first_of(own + 1)) call complain(line, "there is no '" // name(:min(60, len(name))) // "' in [" // &
      trim(section_names(own)) // "].")
    write (earlier, "(i0)") given(k)
    if (given(k) > 0) call complain(line, "'" // name // "' has a value already, in line " // trim(earlier) // ".")
    if (value == "") call complain(line, "'" // name // "' has no value.")
    if (.not. is_number(value)) call complain(line, "'" // name // "' is '" // value(:min(40, len(value))) // &
      "', which is no number.")
    read (value, "(f@LINE@.0)", iostat=code) number
    if (code /= 0 .or. .not. abs(number) <= huge(number)) call complain(line, "'" // name // "' is " // &
      value(:min(40, len(value))) // ", which is too large.")
    given(k) = line
    values(k) = number
  end subroutine read_value

  ! The length of the run, the steps that fit into it, and quaternions of unit length.
  subroutine check_values()
    character(len=24) :: number
    real(real64) :: length
    integer :: k, at
    if (duration < 0) call complain(given(1), "the duration is less than 0 s.")
    if (.not. step > 0) call complain(given(2), "the step is not longer than 0 s.")
    if (duration > 0 .and. duration < step * (1 - 1e-9_real64)) &
      call complain(given(2), "the step is longer than the run.")
    if (duration / step > most_steps) call complain(given(2), "the step is too short: so many steps are too many.")
    if (.not. (every >= 1 .and. every <= most_steps)) &
      call complain(given(3), "every is not a whole number of steps from 1 on.")
    if (abs(every - anint(every)) > 0) call complain(given(3), "every is not a whole number of steps from 1 on.")
    do k = 1, size(quaternions)
      at = quaternions(k)
      length = sqrt(sum(x(at:at + 3)**2))
      if (.not. length > 0) call complain(given(first_of(3) + at - 1), &
        "the quaternion that begins here is zero, which is no orientation.")
      write (number, "(g0.6)") length
      if (abs(length - 1) > length_slack) call note(given(first_of(3) + at - 1), &
        "note: the quaternion that begins here has length " // trim(number) // " and is scaled to 1.")
      x(at:at + 3) = x(at:at + 3) / length
    end do
  end subroutine check_values

  subroutine scale_to_unit(y)
    real(real64), intent(inout) :: y(:)
    integer :: k, at
    do k = 1, size(quaternions)
      at = quaternions(k)
      y(at:at + 3) = y(at:at + 3) * (1 / sqrt(sum(y(at:at + 3)**2)))
    end do
  end subroutine scale_to_unit

  ! One step from time k h; whether the state is a good one after it, which it then is in x.
  function took_step(k, h) result(good)
    real(real64), intent(in) :: k, h
    logical :: good
    real(real64) :: a(states_size), b(states_size), c(states_size), d(states_size), stage(states_size)
    call rates_at(k * h, x, a)
    stage = x + a * stage_2 * h
    call rates_at((k + 0.5_real64) * h, stage, b)
    stage = x + b * stage_3 * h
    call rates_at((k + 0.5_real64) * h, stage, c)
    stage = x + c * stage_4 * h
    call rates_at((k + 1) * h, stage, d)
    stage = x + (a * weight_1 + b * weight_2 + c * weight_3 + d * weight_4) * h
    call scale_to_unit(stage)
    good = all(abs(stage) <= bound)
    if (good) x = stage
  end function took_step

  subroutine write_row(t)
    real(real64), intent(in) :: t
    real(real64) :: @ENERGY_SIZES@, row(states_size + @COUNT@)
    character(len=26) :: number
    character(len=row_length) :: text
    integer :: k, at, length
    call energy_at(t, x, @ENERGIES@)
    row = [t, x, @ENERGIES@]
    at = 0
    do k = 1, size(row)
      write (number, "(es25.16e3)") row(k)
      number = adjustl(number)
      length = len_trim(number)
      text(at + 1:at + length + 1) = number(:length) // ","
      at = at + length + 1
    end do
    call put(text(:at - 1))
  end subroutine write_row

  subroutine put(text)
    character(len=*), intent(in) :: text
    integer :: code
    write (out, "(a)", iostat=code) text
    if (code /= 0) call give_up("the table cannot be written.")
  end subroutine put

  subroutine run()
    integer(int64) :: k, steps, each
    real(real64) :: h
    logical :: recorded
    character(len=24) :: time
    steps = 0
    if (duration > 0) steps = max(1_int64, int(ieee_rint(duration / step), int64))
    h = 0
    if (steps > 0) h = duration / real(steps, real64)
    each = int(every, int64)
@HEAD@
    call write_row(0.0_real64)
    do k = 1, steps
      if (.not. took_step(real(k - 1, real64), h)) then
        write (time, "(g0.6)") real(k - 1, real64) * h
        flush (out)
        call give_up("after t = " // trim(time) // &
          " s a coordinate, speed or state is no number any more, or too large.")
      end if
      recorded = mod(k, each) == 0 .or. k == steps
@if constraints
      if (recorded .or. mod(mod(k, each), int(unprojected, int64)) == 0) then
        if (.not. projected(real(k, real64) * h, newton_steps)) then
          write (time, "(g0.6)") real(k, real64) * h
          flush (out)
          call give_up("at t = " // trim(time) // &
            " s the constraints cannot be kept: the pose is singular, or at the end of reach.")
        end if
      end if
@end
      if (recorded) call write_row(real(k, real64) * h)
    end do
    flush (out)
  end subroutine run
@if constraints

  ! x becomes the nearest state on the constraints; whether there is one and no pivot is small or has changed its sign.
  function projected(t, most) result(good)
    real(real64), intent(in) :: t
    integer, intent(in) :: most
    logical :: good
    real(real64) :: pivots(size(largest)), displacement(coordinates_size), change(changes_size), left, far
@if redundant
    real(real64) :: values_left(@ROWS_SIZE@)
@end
    integer :: count
    good = .false.
    left = huge(left)
    count = 0
    do
      call projection_at(t, x, pivots, displacement, change)
      where (.not. abs(largest) > 0) largest = pivots
      largest = sign(max(abs(pivots), abs(largest)), largest)
      if (.not. all(pivots / largest > small_pivot)) return
      far = 0
      if (size(displacement) > 0) far = maxval(abs(displacement))
      if (.not. all(abs(displacement) <= huge(far))) return
      if (far <= near) exit
      if (.not. far < left .or. count >= most) then
        if (far <= 100 * near) exit ! rounding keeps it from coming nearer
        return
      end if
      left = far
      count = count + 1
      x(:coordinates_size) = x(:coordinates_size) + displacement
      call scale_to_unit(x)
    end do
    x(coordinates_size + 1:coordinates_size + changes_size) = &
      x(coordinates_size + 1:coordinates_size + changes_size) + change
    good = .true.
@if redundant
    call rows_at(t, x, values_left)
    good = all(abs(values_left) <= off)
@end
  end function projected

  ! The start on the constraints, near the one that is given.
  subroutine assemble()
    real(real64) :: before(states_size)
    character(len=24) :: number
    logical :: good
    before = x
    good = projected(0.0_real64, first_steps)
    good = good .and. all(abs(x(:coordinates_size) - before(:coordinates_size)) <= too_far)
    if (.not. good) call complain(given(first_of(3)), &
      "the start is too far from its constraints to be brought to them.")
    write (number, "(g0.6)") maxval(abs(x - before))
    if (maxval(abs(x - before)) > worth_a_word) call note(given(first_of(3)), &
      "note: the start moved by up to " // trim(number) // " to keep the constraints.")
  end subroutine assemble
@end

@FUNCTIONS@
