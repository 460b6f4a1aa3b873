package Shapes is
   type Count is range -2**63 .. 2**63 - 1;
   type Box is record
      Sum : Count := 1;
   end record;

   function Dear (Self : in out Box; Rounds : Count) return Count;
   pragma No_Inline (Dear);
   function Cheap (Self : in out Box; Rounds : Count) return Count;
   pragma No_Inline (Cheap);
end Shapes;
