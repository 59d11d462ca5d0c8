import { CommandRefused } from '../errors.ts'

export function noSuchWebhook(name: string): CommandRefused {
  return new CommandRefused(`No webhook is called "${name}".`)
}
