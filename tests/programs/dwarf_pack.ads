package Dwarf_Pack is
   function Twice (X : Integer) return Integer;
   package Inner is
      function Thrice (X : Integer) return Integer;
   end Inner;
end Dwarf_Pack;
