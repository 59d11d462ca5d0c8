/** One of the service's own stores is out of reach. Waiting helps; nothing was changed. */
export class Unavailable extends Error {
  override name = 'Unavailable'
}
