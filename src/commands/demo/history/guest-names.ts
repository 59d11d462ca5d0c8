import type { Random } from '#lib/random.ts'

/** Invented guests. Any likeness to real persons is a coincidence. */
const firstNames =
  'Anna Bastian Chiara Daniel Elif Felix Greta Hannes Ines Jakub Katarzyna Leon Mira Noah Oksana Paul Rosa Sven Theresa Youssef'.split(
    ' ',
  )
const lastNames =
  'Achleitner Baumgartner Berger Bianchi Brunner Castillo Demir Dvořák Eder Fischbacher Gruber Haidinger Horvat Jansen Kaya Kern Kowalski Laurent Leitner Lindqvist Maier Moser Nakamura Novak Okafor Petersen Pichler Reisinger Rossi Schuster Seidl Steiner Tanaka Thalhammer Urban Vogl Wagner Weiss Wieser Zimmermann'.split(
    ' ',
  )
const courses = [
  'Fachtagung Holzbau',
  'Yoga am See',
  'Führung kompakt',
  'Chorwochenende',
  'Erste Hilfe',
  'Klausur Vorstand',
]

export function guestAtReception({ pick, chance, between }: Random): string {
  if (chance(0.3)) return `Zimmer ${roomOf({ between })}`
  return `${pick(['Familie', 'Familie', 'Fr.', 'Hr.', 'Fr. Dr.', 'Mr.', 'Mme', 'Sig.'])} ${pick(lastNames)}`
}

export function guestOfStay({ pick, between }: Random): string {
  return `Zimmer ${roomOf({ between })}, ${pick(lastNames)}`
}

export function guestAtTable({ between }: Random): string {
  return `Restaurant, Tisch ${between(1, 24)}`
}

export function participant({ pick }: Random): string {
  return `${pick(firstNames)} ${pick(lastNames)}`
}

export function seminarGuest({ pick, between }: Random): string {
  return pick([
    `${pick(courses)}, Raum ${between(1, 5)}`,
    `Referentin ${pick(lastNames)}`,
    `Trainer ${pick(lastNames)}`,
  ])
}

function roomOf({ between }: Pick<Random, 'between'>): number {
  return between(1, 4) * 100 + between(1, 18)
}
