with Dwarf_Pack;

procedure Dwarf_Main is -- main
   Result : Integer;
begin
   Result := Dwarf_Pack.Twice (3) + Dwarf_Pack.Inner.Thrice (2);
   if Result = 0 then
      raise Program_Error;
   end if;
end Dwarf_Main;
