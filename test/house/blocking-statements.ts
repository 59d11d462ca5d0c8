import { isInSteps, splitStatements } from '../../src/db/run-in-steps.ts'

/**
 * Says for each statement of a migration why it could hold up writes, or could not be repeated. Statements of unknown kinds are
 * rejected. The check reads only text: it does not see what a function does, how large a table is, or how long a sum of small
 * statements takes.
 */
export function findBlockingStatements(sql: string): string[] {
  const statements = splitStatements(sql).map((statement) => statement.replaceAll(/\s+/g, ' '))
  const created = new Set(
    statements.flatMap((text) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/i.exec(text)?.[1] ?? []),
  )
  const problems = statements.flatMap((text) => {
    const problem = isInSteps(sql) ? problemInSteps(text) : problemInTransaction(text, created)
    return problem === undefined ? [] : [`${problem}: ${text.slice(0, 80)}`]
  })
  const locked = new Set(statements.flatMap(lockedTables).filter((table) => !created.has(table)))
  if (!isInSteps(sql) && locked.size > 1)
    problems.push(
      `it locks several tables, and each can wait for a second; use one migration each: ${[...locked].join(', ')}`,
    )
  return problems
}

function problemInSteps(text: string): string | undefined {
  if (/^create (unique )?index concurrently (?!if )\w+ on \w+/i.test(text)) return undefined
  if (/^drop index concurrently if exists \w+$/i.test(text)) return undefined
  if (/^update \w+ set .* where .*(?<!:):part\b/i.test(text)) return undefined
  const actions = actionsOf(text)
  if (!actions) return 'only indexes that are built concurrently, updates with :part, and alter table can run in steps'
  return actions
    .map((action) => problemOfAction(action) ?? problemOfRepeat(action, actions))
    .find((problem) => problem !== undefined)
}

/** Kinds of statements that take no lock on a table that exists, or only for a moment. */
const harmless =
  /^(create (or replace )?(function|procedure|view)|create (type|domain|sequence|extension|(unlogged )?table)|drop (function|procedure|view|type|table|index|trigger)|create trigger|comment on) /i

function problemInTransaction(text: string, created: Set<string>): string | undefined {
  if (harmless.test(text)) return undefined
  const table = /^(?:create (?:unique )?index (?:if not exists )?\w+ on|alter table|insert into|update) (\w+)/i.exec(
    text,
  )?.[1]
  if (table !== undefined && created.has(table)) return undefined
  if (/^create (unique )?index/i.test(text)) return 'build the index concurrently, in a migration that runs in steps'
  if (/^insert into \w+( \([^)]*\))? values /i.test(text)) return undefined
  if (/^(update|insert|delete|with|merge)\b/i.test(text)) return 'change rows in steps, with :part'
  const actions = actionsOf(text)
  if (!actions) return 'the check does not know this kind of statement'
  return actions.map(problemOfAction).find((problem) => problem !== undefined)
}

/** The parts of an `alter table`, which commas separate. Undefined for another statement. */
function actionsOf(text: string): string[] | undefined {
  const list = /^alter table (?:if exists )?\w+ (.*)$/i.exec(text)?.[1]
  if (list === undefined) return undefined
  const actions = ['']
  let depth = 0
  for (const [token] of list.matchAll(/'[^']*'|[^']/g)) {
    if (token === '(') depth += 1
    if (token === ')') depth -= 1
    if (token === ',' && depth === 0) actions.push('')
    else actions.push(actions.pop() + token)
  }
  return actions.map((action) => action.trim())
}

/** A default that PostgreSQL stores once for all rows, instead of writing each row. */
const constant = /\bdefault (true|false|null|-?\d+(\.\d+)?|'[^']*'(::\w+(\[\])?)?|now\(\)|current_timestamp)(?= |$)/i

function problemOfAction(action: string): string | undefined {
  if (
    /^(drop (column|constraint)|alter (column )?\w+ (drop (not null|default)|set default|set \(n_distinct = [-.\d]+\))|validate constraint) /i.test(
      `${action} `,
    )
  )
    return undefined
  if (/^add (constraint|check|foreign|unique|primary|exclude)\b/i.test(action))
    return / not valid$/i.test(action) ? undefined : 'add the constraint as "not valid", and validate it in steps'
  if (!/^add (column )?/i.test(action)) return 'it rewrites or reads the whole table, or the check does not know it'
  if (/\b(references|check|unique|primary key|generated|serial|bigserial)\b/i.test(action))
    return 'add the column without a constraint'
  if (/\bdefault\b/i.test(action) && !constant.test(action)) return 'the default must be a constant'
  if (/\bnot null\b/i.test(action) && !/\bdefault\b/i.test(action))
    return 'processes of the version before write no value'
  return undefined
}

function problemOfRepeat(action: string, all: string[]): string | undefined {
  const constraint = /^add constraint (\w+) /i.exec(action)?.[1]
  if (constraint !== undefined)
    return all.slice(0, all.indexOf(action)).includes(`drop constraint if exists ${constraint}`)
      ? undefined
      : 'a repeat would fail: drop the constraint in the same statement, with "if exists"'
  if (/^add column (?!if not exists )/i.test(action) || /^add (?!column )/i.test(action))
    return 'a repeat would fail: write "add column if not exists"'
  if (/^drop (column|constraint) (?!if exists )/i.test(action)) return 'a repeat would fail: write "if exists"'
  return undefined
}

function lockedTables(text: string): string[] {
  const [, table] =
    /^(?:alter table|drop table|create trigger .*? on|drop trigger .*? on) (?:if exists )?(\w+)/i.exec(text) ?? []
  const referenced = [...text.matchAll(/\breferences (\w+)/gi)].map(([, name = '']) => name)
  return table === undefined ? referenced : [table, ...referenced]
}
