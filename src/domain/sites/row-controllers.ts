import { formatFingerprint, parseFingerprint } from '#lib/fingerprint.ts'
import {
  checkPin,
  type DriverForms,
  findDriver,
  type NewController,
  parseAddress,
} from '../controllers/add-controller.ts'
import { checkUsername, rejectCloudAccount } from '../controllers/controller-credentials.ts'
import type { ControllerPlace } from '../controllers/controllers.queries.ts'
import { DomainError } from '../errors.ts'

/** The columns that describe the controller of a row. */
export const controllerColumns = ['driver', 'address', 'username', 'pin', 'secret_file'] as const
type ControllerColumn = (typeof controllerColumns)[number]

/** The cells that describe a controller, each with its line in the file. Empty cells are left out. */
export type ControllerCells = Partial<Record<ControllerColumn, { text: string; line: number }>>

type Described = { controller: string; controllerCells?: ControllerCells | undefined }

/**
 * Joins what the rows of each controller say about it, so that one row can describe the controller for the others. Returns the
 * rows with the joined cells, and the rows that contradict an earlier row.
 */
export function joinControllerCells<Row extends Described>(
  rows: Row[],
): { joined: Row[]; contradicting: { row: Row; problem: DomainError }[] } {
  const byController = new Map<string, ControllerCells>()
  const joined: Row[] = []
  const contradicting: { row: Row; problem: DomainError }[] = []
  for (const row of rows) {
    const { controller, controllerCells: own = {} } = row
    const cells = byController.get(controller) ?? {}
    byController.set(controller, cells)
    const differs = controllerColumns.find(
      (column) => own[column] && cells[column] && own[column].text !== cells[column].text,
    )
    if (differs) {
      const details = { controller, column: differs, line: cells[differs]?.line as number }
      contradicting.push({ row, problem: new DomainError('controller_row_differs', { details }) })
    } else {
      Object.assign(cells, { ...own, ...cells })
      joined.push(row)
    }
  }
  const cellsOf = ({ controller }: Row) => {
    const cells = byController.get(controller) ?? {}
    return Object.keys(cells).length > 0 ? cells : undefined
  }
  return { joined: joined.map((row) => ({ ...row, controllerCells: cellsOf(row) })), contradicting }
}

/** Reads the description of a controller that is not recorded yet. An error names the wrong column. */
export function readNewController(
  drivers: DriverForms,
  controller: string,
  cells: ControllerCells,
): Omit<NewController, 'credentials'> & { username: string | undefined } {
  const text = (column: ControllerColumn) => {
    const cell = cells[column]
    if (!cell) throw new DomainError('controller_column_empty', { details: { controller, column } })
    return cell.text
  }
  const driver = text('driver')
  const form = inColumn('driver', () => findDriver(drivers, driver))
  const address = inColumn('address', () => parseAddress(form, text('address')))
  const username = cells.username?.text
  inColumn('username', () => {
    checkUsername(driver, form, username)
    if (username !== undefined) rejectCloudAccount(username)
  })
  const certificatePin = readPin(cells)
  inColumn('pin', () => checkPin(form, { address, certificatePin: certificatePin ?? null }))
  text('secret_file')
  return { name: controller, driver, address, certificatePin, username }
}

/** Rejects a description that differs from the recorded controller. Its user name and its secret are not compared. */
export function checkRecordedController(drivers: DriverForms, cells: ControllerCells, recorded: ControllerPlace): void {
  const pin = readPin(cells)
  const address = cells.address
  const described = {
    driver: cells.driver?.text,
    address: address && inColumn('address', () => parseAddress(findDriver(drivers, recorded.driver), address.text)),
    pin: pin && formatFingerprint(pin),
  }
  const stored = {
    driver: recorded.driver,
    address: recorded.address,
    pin: recorded.certificatePin ? formatFingerprint(recorded.certificatePin) : 'none',
  }
  for (const column of ['driver', 'address', 'pin'] as const) {
    if (described[column] === undefined || described[column] === stored[column]) continue
    const details = { controller: recorded.name, column, recorded: stored[column] }
    throw new DomainError('controller_recorded_differently', { details })
  }
}

function readPin({ pin }: ControllerCells): Buffer | undefined {
  const sha256 = pin && parseFingerprint(pin.text)
  if (pin && !sha256) throw new DomainError('column_not_fingerprint', { details: { column: 'pin' } })
  return sha256
}

/** Adds the name of the column to an error. */
export function inColumn<T>(column: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    throw new DomainError(error.code, { details: { column, ...error.details }, more: error.more })
  }
}

/** The problem of a controller as one of its rows reports it: a row without the wrong cell refers to the line that has it. */
export function problemInRow(problem: DomainError, row: Described & { line: number }): DomainError {
  const line = row.controllerCells?.[problem.details['column'] as ControllerColumn]?.line ?? row.line
  if (line === row.line) return problem
  return new DomainError('controller_row_refused', { details: { controller: row.controller, line } })
}
