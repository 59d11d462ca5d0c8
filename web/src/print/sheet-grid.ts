/** The cards on a sheet of A4. */
export const columns = 2
export const rows = 5
export const cardsOfSheet = columns * rows
