--  See hot.cc.
package body Shapes is

   procedure Grow (Self : in out Box; Rounds : Count);
   pragma No_Inline (Grow);

   procedure Grow (Self : in out Box; Rounds : Count) is
   begin
      for I in 1 .. Rounds loop
         Self.Sum := Self.Sum / (I mod 7 + 1) + Self.Sum / (I mod 5 + 2) + I * 1000;  --  hot
      end loop;
   end Grow;

   function Dear (Self : in out Box; Rounds : Count) return Count is
   begin
      Grow (Self, Rounds * 9);
      return Self.Sum + 1;
   end Dear;

   function Cheap (Self : in out Box; Rounds : Count) return Count is
   begin
      Grow (Self, Rounds);
      return Self.Sum + 2;
   end Cheap;

end Shapes;
