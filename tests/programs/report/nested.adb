--  Nested subprograms have numbers in their linkage names that the debug information leaves out.
procedure Nested is
   Total : Integer := 0;

   procedure Outer (Count : Integer) is
      Limit : Integer := Count;

      procedure Inner (Step : Integer) is
      begin
         for I in 1 .. Step loop
            Total := Total + I;
            Limit := Limit - 1;
         end loop;
      end Inner;

   begin
      while Limit > 0 loop
         Inner (3);
      end loop;
   end Outer;

begin
   for Round in 1 .. 10 loop
      Outer (50 * Round);
   end loop;
end Nested;
