/** Tells the time. In the service this is the database's time, so that all processes agree. */
export type Clock = { now(): Date }

/** This machine's own time. Not for comparisons with times in the record. */
export const machineClock: Clock = { now: () => new Date() }
