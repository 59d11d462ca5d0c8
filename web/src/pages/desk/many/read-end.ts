import { addDays, toInstant, toWallTime, type WallTime } from '../../../components/voucher/zoned-time.ts'

/** Why a text is not the end of a stay. `days`: the month has fewer days. */
export type EndError =
  | { kind: 'unreadable' | 'ambiguous' | 'passed' | 'too-far' | 'no-time' }
  | { kind: 'days'; month: number; days: number }

export type ReadEnd = { until: WallTime } | { error: EndError }

/** The clock and the rules of the site. */
export type Calendar = {
  now: Date
  timeZone: string
  /** The time of day at which stays end, `11:00`. It is added to a date without a time. */
  checkOut: string
}

/**
 * Reads the end of a stay as people write it: "20.11.", "2026-11-20", "20 Nov", "3 days", "11:00", each date with or without a
 * time. A date without a year is the next such date, unless it has passed in the last six months: then it is probably a mistake.
 */
export function readEnd(text: string, calendar: Calendar): ReadEnd {
  const { now, timeZone } = calendar
  const wallNow = toWallTime(now, timeZone)
  const read = readWallTime(normalize(text), wallNow, calendar)
  if ('error' in read) return read
  const at = toInstant(read.until, timeZone).getTime()
  if (at < now.getTime() + 60_000) return { error: { kind: 'passed' } }
  return at > now.getTime() + farthestMinutes * 60_000 ? { error: { kind: 'too-far' } } : read
}

/** The longest duration that a controller accepts, less a month of room to extend the stay. */
const farthestMinutes = 1_000_000 - 31 * 1_440

/** Minutes of a duration such as "3 days", "8 h" or "90 min". A bare number counts in `unit`. Undefined if it is none. */
export function readDuration(text: string, unit: Unit = 'minutes'): number | undefined {
  const [, amount, word] = /^(\d{1,7})\s*(\p{L}*)\.?$/u.exec(normalize(text)) ?? []
  if (amount === undefined) return undefined
  const found = word === '' ? unit : unitOf(word as string)
  return found && Number(amount) * minutesOf[found]
}

export type Unit = keyof typeof minutesOf
const minutesOf = { minutes: 1, hours: 60, days: 1_440, weeks: 10_080 }

/** The unit that a word means, in English or German. */
export function unitOf(word: string): Unit | undefined {
  if (/^(m|min|mins|minutes?|minuten?)$/.test(word)) return 'minutes'
  if (/^(h|hrs?|hours?|std|stunden?)$/.test(word)) return 'hours'
  if (/^(d|days?|nights?|tage?|tagen|nacht|nächte)$/.test(word)) return 'days'
  return /^(w|weeks?|wochen?)$/.test(word) ? 'weeks' : undefined
}

function normalize(text: string): string {
  return text.trim().toLowerCase().replace(/\s+/g, ' ')
}

const weekday =
  /^(?:mo|di|mi|do|fr|sa|so|mon|tue|wed|thu|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|monday|tuesday|wednesday|thursday|friday|saturday|sunday)[.,]{0,2} (?=.)/
const before = /^(?:bis|until|till|to) (?=.)/
/** A time at the end: "11:00", "11:00:00", "11 Uhr", "11.30 Uhr", "3 pm". */
const timeAtEnd = /(?:^|[ ,t]+)(\d{1,2})(?::(\d\d)(?::00)?(?: uhr)?|(?:[.:](\d\d))? uhr|(?::(\d\d))? ?([ap])m)$/

function readWallTime(text: string, wallNow: WallTime, calendar: Calendar): ReadEnd {
  const rest = text.replace(before, '').replace(weekday, '')
  const found = timeAtEnd.exec(rest)
  const time = found ? timeOf(found) : calendar.checkOut
  if (time === undefined) return { error: { kind: 'no-time' } }
  const dateText = (found ? rest.slice(0, found.index) : rest).replace(/,$/, '').trim()
  const today = wallNow.slice(0, 10)
  const at = (day: string) => ({ until: `${day} ${time}:00` })
  if (dateText === '') {
    if (!found) return { error: { kind: 'unreadable' } }
    return time > wallNow.slice(11, 16) ? at(today) : at(addDays(today, 1))
  }
  const relative = readRelative(dateText, today, calendar)
  if (relative) return relative.length === 10 ? at(relative) : { until: relative }
  const date = readDate(dateText)
  if ('error' in date) return date
  const error = errorOfDay(date, Number(today.slice(0, 4)))
  return error ? { error } : at(dayOf(date, today))
}

/** "11", "00" or "3", "pm" as `HH:MM`. Undefined for a time that no clock shows. */
function timeOf([, hourText, minutes, minutesOfUhr, minutesOf12, half]: RegExpExecArray): string | undefined {
  const minute = minutes ?? minutesOfUhr ?? minutesOf12 ?? '00'
  const shown = Number(hourText)
  if (half !== undefined && (shown < 1 || shown > 12)) return undefined
  const hour = half === undefined ? shown : (shown % 12) + (half === 'p' ? 12 : 0)
  return hour < 24 && Number(minute) < 60 ? `${String(hour).padStart(2, '0')}:${minute}` : undefined
}

/** Days and weeks end at the check-out time, so the result is only a day. Hours and minutes count from now. */
function readRelative(text: string, today: string, { now, timeZone }: Calendar): string | undefined {
  if (/^(today|heute)$/.test(text)) return today
  if (/^(tomorrow|morgen)$/.test(text)) return addDays(today, 1)
  const [, amount, word] = /^(?:in )?(\d{1,6}) ?(\p{L}+)\.?$/u.exec(text) ?? []
  const unit = word === undefined ? undefined : unitOf(word)
  if (amount === undefined || unit === undefined) return undefined
  const minutes = Number(amount) * minutesOf[unit]
  if (minutes > 1_000_000) return undefined
  if (minutes % 1_440 === 0 && unit !== 'hours' && unit !== 'minutes') return addDays(today, minutes / 1_440)
  return toWallTime(new Date(now.getTime() + minutes * 60_000), timeZone)
}

type DateParts = { day: number; month: number; year: number | undefined }

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const monthsInGerman: Record<string, number> = { mär: 3, mrz: 3, mai: 5, okt: 10, dez: 12 }
const monthWord =
  /^(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)(?:t|uary|ruary|ch|z|il|e|y|i|ust|tember|ober|ember|uar|ruar)?\.?$/

function readDate(text: string): DateParts | { error: EndError } {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text)
  if (iso) return partsOf(iso[3], iso[2], iso[1])
  const dotted = /^(\d{1,2})\. ?(\d{1,2})(?:\.? ?|\. ?(\d{4}|\d\d))$/.exec(text)
  if (dotted) return partsOf(dotted[1], dotted[2], dotted[3])
  const slashed = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d\d))?$/.exec(text)
  if (slashed) return readSlashed(slashed)
  const dayFirst = /^(\d{1,2})\.? ?(\p{L}+\.?)(?:,? (\d{4}))?$/u.exec(text)
  const monthFirst = /^(\p{L}+\.?) (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?$/u.exec(text)
  const [day, word, year] = dayFirst
    ? [dayFirst[1], dayFirst[2], dayFirst[3]]
    : [monthFirst?.[2], monthFirst?.[1], monthFirst?.[3]]
  const [, short] = monthWord.exec(word ?? '') ?? []
  if (short === undefined) return { error: { kind: 'unreadable' } }
  return partsOf(day, String(monthsInGerman[short] ?? months.indexOf(short) + 1), year)
}

function partsOf(day: string | undefined, month: string | undefined, year: string | undefined): DateParts {
  const fullYear = year?.length === 2 ? `20${year}` : year
  return { day: Number(day), month: Number(month), year: fullYear === undefined ? undefined : Number(fullYear) }
}

/** 20/11 and 11/20 are the same day, but 5/6 is 5 June or 6 May. */
function readSlashed([, first, second, year]: RegExpExecArray): DateParts | { error: EndError } {
  if (Number(first) > 12) return partsOf(first, second, year)
  if (Number(second) > 12 || first === second) return partsOf(second, first, year)
  return { error: { kind: 'ambiguous' } }
}

function errorOfDay({ day, month, year }: DateParts, thisYear: number): EndError | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return { kind: 'unreadable' }
  // Without a year, 29.2. may be a day of the next leap year: `dayOf` finds out.
  const days = new Date(
    Date.UTC(year ?? (month === 2 && day === 29 ? nextLeapYear(thisYear) : thisYear), month, 0),
  ).getUTCDate()
  return day > days ? { kind: 'days', month, days } : undefined
}

function nextLeapYear(year: number): number {
  return Math.ceil(year / 4) * 4
}

const halfAYear = 183

function dayOf({ day, month, year }: DateParts, today: string): string {
  const inYear = (each: number) => new Date(Date.UTC(each, month - 1, day)).toISOString().slice(0, 10)
  if (year !== undefined) return inYear(year)
  const thisYear = Number(today.slice(0, 4))
  const candidate = month === 2 && day === 29 ? inYear(nextLeapYear(thisYear)) : inYear(thisYear)
  return candidate < addDays(today, -halfAYear) ? inYear(thisYear + 1) : candidate
}
