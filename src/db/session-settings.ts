/**
 * Settings on which the results of our statements depend. An administrator can change them for a role, a database or a server.
 * PgBouncer applies these to the connections that it lends, because PostgreSQL reports them to clients.
 */
const reported = {
  // node-postgres cannot read times in other formats than ISO.
  DateStyle: 'ISO, MDY',
  // Without it, a backslash in a literal has another meaning. Migrations would store wrong functions and constraints.
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
}

/** PgBouncer does not pass these on. docs/scaling.md says how to set them for the role. */
const unreported = {
  // node-postgres sends a null in an array as NULL. If this is off, PostgreSQL reads it as a text.
  array_nulls: 'on',
  // Statements rely on row locks, and are not repeated after a serialization failure.
  default_transaction_isolation: 'read committed',
  // Counts are read as floating-point numbers, which a negative value rounds.
  extra_float_digits: '1',
}

/** Every setting that the service needs, with its value as PostgreSQL prints it. */
export const sessionSettings: Record<string, string> = { ...reported, ...unreported }

/** Adds the settings to the parameters with which a connection starts. They override those in an address or in PGOPTIONS. */
export function withSessionSettings(parameters: Record<string, string>): Record<string, string> {
  return {
    ...parameters,
    ...reported,
    options: [parameters['options'], startupOptions(unreported)].filter(Boolean).join(' '),
  }
}

/** Writes settings as PostgreSQL reads them from the startup parameter `options`. */
export function startupOptions(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/[\\ ]/g, '\\$&')}`)
    .join(' ')
}
