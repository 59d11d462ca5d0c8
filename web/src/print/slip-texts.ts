import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import type { PluralRule } from '../formats.ts'

export type GuestLanguage = GuestInfo['guest_languages'][number]

type SlipTexts = {
  /** Locale for dates and numbers. */
  locale: string
  heading: string
  join: string
  /** Stands before the name of the Wi-Fi. */
  scanOrPick: string
  /** The same for a Wi-Fi that phones do not list. */
  scanOrType: string
  password: string
  enterCode: string
  /** The text after the duration. */
  fromFirstSignIn: string
  /** The text before the date. */
  validUntil: string
  /** By the plural category of the number. */
  devices: { other: string } & Partial<Record<PluralRule, string>>
  anyDevices: string
}

/** The texts of a slip in the languages of guests. The app itself is only in German and English. */
export const slipTexts: Record<GuestLanguage, SlipTexts> = {
  de: {
    locale: 'de-DE',
    heading: 'WLAN-Zugang',
    join: 'Mit dem WLAN verbinden',
    scanOrPick: 'QR-Code scannen oder Netz wählen:',
    scanOrType: 'QR-Code scannen oder Netznamen eingeben:',
    password: 'Passwort',
    enterCode: 'Diesen Code eingeben',
    fromFirstSignIn: 'ab der ersten Anmeldung',
    validUntil: 'Gültig bis',
    devices: { one: 'Gerät', other: 'Geräte' },
    anyDevices: 'beliebig viele Geräte',
  },
  en: {
    locale: 'en-GB',
    heading: 'Wi-Fi access',
    join: 'Connect to the Wi-Fi',
    scanOrPick: 'Scan the QR code or choose the network:',
    scanOrType: 'Scan the QR code or type the network name:',
    password: 'Password',
    enterCode: 'Enter this code',
    fromFirstSignIn: 'from first sign-in',
    validUntil: 'Valid until',
    devices: { one: 'device', other: 'devices' },
    anyDevices: 'any number of devices',
  },
  fr: {
    locale: 'fr-FR',
    heading: 'Accès Wi-Fi',
    join: 'Se connecter au Wi-Fi',
    scanOrPick: 'Scannez le QR code ou choisissez le réseau\u00a0:',
    scanOrType: 'Scannez le QR code ou saisissez le nom du réseau\u00a0:',
    password: 'Mot de passe',
    enterCode: 'Saisir ce code',
    fromFirstSignIn: 'à partir de la première connexion',
    validUntil: 'Valable jusqu’au',
    devices: { one: 'appareil', many: 'appareils', other: 'appareils' },
    anyDevices: 'nombre d’appareils illimité',
  },
  it: {
    locale: 'it-IT',
    heading: 'Accesso Wi-Fi',
    join: 'Connettersi al Wi-Fi',
    scanOrPick: 'Scansionare il codice QR o scegliere la rete:',
    scanOrType: 'Scansionare il codice QR o inserire il nome della rete:',
    password: 'Password',
    enterCode: 'Inserire questo codice',
    fromFirstSignIn: 'dal primo accesso',
    validUntil: 'Scadenza:', // "fino al" would need another form before 8 and 11
    devices: { one: 'dispositivo', many: 'dispositivi', other: 'dispositivi' },
    anyDevices: 'dispositivi illimitati',
  },
  nl: {
    locale: 'nl-NL',
    heading: 'Wifi-toegang',
    join: 'Verbind met de wifi',
    scanOrPick: 'Scan de QR-code of kies het netwerk:',
    scanOrType: 'Scan de QR-code of typ de netwerknaam:',
    password: 'Wachtwoord',
    enterCode: 'Voer deze code in',
    fromFirstSignIn: 'vanaf de eerste aanmelding',
    validUntil: 'Geldig tot',
    devices: { one: 'apparaat', other: 'apparaten' },
    anyDevices: 'onbeperkt aantal apparaten',
  },
  es: {
    locale: 'es-ES',
    heading: 'Acceso wifi',
    join: 'Conéctese al wifi',
    scanOrPick: 'Escanee el código QR o elija la red:',
    scanOrType: 'Escanee el código QR o escriba el nombre de la red:',
    password: 'Contraseña',
    enterCode: 'Introduzca este código',
    fromFirstSignIn: 'desde la primera conexión',
    validUntil: 'Válido hasta el',
    devices: { one: 'dispositivo', many: 'dispositivos', other: 'dispositivos' },
    anyDevices: 'dispositivos ilimitados',
  },
  pl: {
    locale: 'pl-PL',
    heading: 'Dostęp do Wi-Fi',
    join: 'Połącz się z Wi-Fi',
    scanOrPick: 'Zeskanuj kod QR lub wybierz sieć:',
    scanOrType: 'Zeskanuj kod QR lub wpisz nazwę sieci:',
    password: 'Hasło',
    enterCode: 'Wpisz ten kod',
    fromFirstSignIn: 'od pierwszego logowania',
    validUntil: 'Ważny do',
    devices: { one: 'urządzenie', few: 'urządzenia', many: 'urządzeń', other: 'urządzenia' },
    anyDevices: 'dowolna liczba urządzeń',
  },
  cs: {
    locale: 'cs-CZ',
    heading: 'Přístup k Wi-Fi',
    join: 'Připojte se k Wi-Fi',
    scanOrPick: 'Naskenujte QR kód nebo vyberte síť:',
    scanOrType: 'Naskenujte QR kód nebo zadejte název sítě:',
    password: 'Heslo',
    enterCode: 'Zadejte tento kód',
    fromFirstSignIn: 'od prvního přihlášení',
    validUntil: 'Platí do',
    devices: { one: 'zařízení', few: 'zařízení', many: 'zařízení', other: 'zařízení' },
    anyDevices: 'libovolný počet zařízení',
  },
}

/** In the order in which the menu shows them. */
export const guestLanguages = Object.keys(slipTexts) as GuestLanguage[]
