/**
 * Settings on which the results of our statements depend. An administrator can change them for a role, a database or a server.
 * PgBouncer applies these three to the connections that it lends.
 */
const passedOn = {
  // node-postgres cannot read times in other formats than ISO.
  DateStyle: 'ISO, MDY',
  // Without it, a backslash in a literal has another meaning. Migrations would store wrong functions and constraints.
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
}

/** PgBouncer does not pass these on. docs/scaling.md says how to set them for the role. */
const notPassedOn = {
  // node-postgres sends a null in an array as NULL. If this is off, PostgreSQL reads it as a text.
  array_nulls: 'on',
  // Statements rely on row locks, and most are not repeated after a serialization failure.
  default_transaction_isolation: 'read committed',
}

/** A pool closes idle connections itself, and so does PgBouncer. If PostgreSQL did, the next statement could fail. */
const noIdleTimeout = { idle_session_timeout: '0' }

/** Compiling a statement takes longer than it saves. A count over a million vouchers took 10 s with it, and 0.3 s without. */
const noCompiling = { jit: 'off' }

/** The settings without which the service does not work, with their values as PostgreSQL prints them. */
export const neededSettings: Record<string, string> = { ...passedOn, ...notPassedOn }

/** Adds the settings to the parameters with which a connection starts. They override those in an address or in PGOPTIONS. */
export function withSessionSettings(parameters: Record<string, string>): Record<string, string> {
  const options = [parameters['options'], startupOptions({ ...notPassedOn, ...noIdleTimeout, ...noCompiling })]
  return { ...parameters, ...passedOn, options: options.filter(Boolean).join(' ') }
}

/** Writes settings as PostgreSQL reads them from the startup parameter `options`. */
export function startupOptions(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')
}
