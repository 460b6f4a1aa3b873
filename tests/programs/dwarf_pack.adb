package body Dwarf_Pack is
   function Twice (X : Integer) return Integer is -- twice
      function Nested (Y : Integer) return Integer is -- nested
      begin
         return Y + X;
      end Nested;
   begin
      return Nested (X);
   end Twice;

   package body Inner is
      function Thrice (X : Integer) return Integer is -- thrice
      begin
         return X * 3;
      end Thrice;
   end Inner;
end Dwarf_Pack;
