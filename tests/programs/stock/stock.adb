--  An ordered map, sorting, and recursion.
with Ada.Command_Line;
with Ada.Containers.Ordered_Maps;
with Ada.Containers.Generic_Array_Sort;
with Ada.Text_IO;

procedure Stock is
   package Maps is new Ada.Containers.Ordered_Maps (Integer, Integer);
   type Numbers is array (Positive range <>) of Integer;
   procedure Sort is new Ada.Containers.Generic_Array_Sort (Positive, Integer, Numbers);

   Map    : Maps.Map;
   Values : Numbers (1 .. 4_096);
   Sum    : Long_Long_Integer := 0;

   function Ackermann (A, B : Integer) return Integer is
     (if A = 0 then B + 1 elsif B = 0 then Ackermann (A - 1, 1)
      else Ackermann (A - 1, Ackermann (A, B - 1)));
   pragma No_Inline (Ackermann);

begin
   for Round in 1 .. 250 loop
      for I in 1 .. 8_000 loop
         Map.Include ((I * 7_919 + Round) mod 2_003, I);
      end loop;
      for I in Values'Range loop
         Values (I) := (I * 7_919 + Round * 31) mod 65_537;
      end loop;
      Sort (Values);
      Sum := Sum + Long_Long_Integer (Values (77) + Map.First_Element);
      Sum := Sum + Long_Long_Integer (Ackermann (2, 400));
   end loop;
   Ada.Text_IO.Put_Line (Sum'Image);
   Ada.Command_Line.Set_Exit_Status (8);
end Stock;
