export type Act = { name: string; command: string }

/** The commands of `npm run test:everything`, in their order. No test runs in two of them at the same size. */
export const acts: Act[] = [
  { name: 'check', command: 'npm run check' },
  { name: 'long', command: 'npm run test:long' },
  { name: 'faults', command: 'npm run test:faults -- --long' },
  { name: 'e2e', command: 'npm run test:e2e' },
  { name: 'clients', command: 'npm run test:clients' },
  { name: 'ha', command: 'npm run test:ha' },
  { name: 'bench', command: 'npm run bench -- --size 1m --save' },
]
