// The documents sent to the server: sources in languages that compilers profile, by VS Code's language ids and, for
// languages without one, by file extension.
import type { DocumentSelector } from 'vscode-languageclient/node';

const languages = [
  'c',
  'cpp',
  'objective-c',
  'objective-cpp',
  'cuda-cpp',
  'rust',
  'd',
  'fortran',
  'FortranFreeForm',
  'FortranFixedForm',
  'fortran-modern',
  'ada',
];

const endings = 'f,for,ftn,f77,f90,f95,f03,f08,F,F90,ada,adb,ads,d,di,inc,inl,ipp,tcc,tpp,y,l,yy,ll';

export const documentSelector: DocumentSelector = [
  ...languages.map((language) => ({ scheme: 'file', language })),
  { scheme: 'file', pattern: `**/*.{${endings}}` },
];
