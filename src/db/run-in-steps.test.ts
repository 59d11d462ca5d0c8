import { expect, test } from 'vitest'
import { splitStatements } from './run-in-steps.ts'

test('SQL is split at the semicolons outside of strings, names and comments', () => {
  const sql = `-- one; two
    select 'a;''b', "c;d", $$ e; $$, $f$ ; $$ ; $f$, 3 - 2 / 1; /* g; */
    select/* h; */1 -- i;
    ; ;`

  expect(splitStatements(sql)).toEqual([`select 'a;''b', "c;d", $$ e; $$, $f$ ; $$ ; $f$, 3 - 2 / 1`, 'select 1'])
})
