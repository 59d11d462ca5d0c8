/** Tells the time. In the service this is the database's time, so that all processes agree. */
export type Clock = { now(): Date }

/** This machine's own time, where nothing of the record is compared with it. */
export const machineClock: Clock = { now: () => new Date() }
