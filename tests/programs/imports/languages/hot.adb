--  See hot.cc.
with Ada.Command_Line;
with Ada.Text_IO;
with Shapes;

procedure Hot is
   use type Shapes.Count;
   Rounds : Shapes.Count := 1000;
   Box    : Shapes.Box;
   Cost   : Shapes.Count;
begin
   if Ada.Command_Line.Argument_Count > 0 then
      Rounds := Shapes.Count'Value (Ada.Command_Line.Argument (1));
   end if;
   Cost := Shapes.Cheap (Box, Rounds);
   Cost := Cost + Shapes.Dear (Box, Rounds);
   Ada.Text_IO.Put_Line (Cost'Image);
end Hot;
