import type { GuestLanguage } from './guest-languages.ts'

export type MailTexts = {
  subject: string
  /** To a guest without a name. */
  greeting: string
  /** The first sentence below the greeting, which continues it in some languages. */
  intro: string
  automatic: string
  /** For somebody who got the message by mistake. */
  unexpected: string
}

/**
 * The texts of a message with a voucher. `{place}` is the name of the house or the site, as on a slip. Where a language would inflect the name, it
 * stands in parentheses or after a dash.
 */
export const mailTexts: Record<GuestLanguage, MailTexts> = {
  de: {
    subject: 'Ihr WLAN-Code für {place}',
    greeting: 'Guten Tag,',
    intro: 'hier ist Ihr Zugang zum Gäste-WLAN von {place}.',
    automatic: 'Diese Nachricht wurde automatisch von {place} gesendet.',
    unexpected: 'Falls sie nicht für Sie bestimmt ist, können Sie sie ignorieren. Es passiert nichts weiter.',
  },
  en: {
    subject: 'Your Wi-Fi code for {place}',
    greeting: 'Hello,',
    intro: 'Here is your access to the guest Wi-Fi at {place}.',
    automatic: 'This message was sent automatically by {place}.',
    unexpected: 'If you did not expect it, you can ignore it. Nothing else will happen.',
  },
  fr: {
    subject: 'Votre code Wi-Fi – {place}',
    greeting: 'Bonjour,',
    intro: 'Voici votre accès au Wi-Fi invités ({place}).',
    automatic: 'Ce message a été envoyé automatiquement par {place}.',
    unexpected: 'Si vous ne l’attendiez pas, vous pouvez l’ignorer. Il ne se passera rien d’autre.',
  },
  it: {
    subject: 'Il suo codice Wi-Fi per {place}',
    greeting: 'Buongiorno,',
    intro: 'ecco il suo accesso al Wi-Fi per gli ospiti presso {place}.',
    automatic: 'Questo messaggio è stato inviato automaticamente da {place}.',
    unexpected: 'Se non lo aspettava, può ignorarlo. Non succederà altro.',
  },
  nl: {
    subject: 'Uw wificode voor {place}',
    greeting: 'Goedendag,',
    intro: 'Hier is uw toegang tot de gastenwifi van {place}.',
    automatic: 'Dit bericht is automatisch verzonden door {place}.',
    unexpected: 'Als u het niet verwachtte, kunt u het negeren. Er gebeurt verder niets.',
  },
  es: {
    subject: 'Su código wifi para {place}',
    greeting: 'Hola:',
    intro: 'Aquí tiene su acceso al wifi de invitados de {place}.',
    automatic: 'Este mensaje ha sido enviado automáticamente por {place}.',
    unexpected: 'Si no lo esperaba, puede ignorarlo. No ocurrirá nada más.',
  },
  pl: {
    subject: 'Twój kod do Wi-Fi – {place}',
    greeting: 'Dzień dobry,',
    intro: 'oto Twój dostęp do Wi-Fi dla gości ({place}).',
    automatic: 'Ta wiadomość została wysłana automatycznie. Nadawca: {place}.',
    unexpected: 'Jeśli się jej nie spodziewasz, możesz ją zignorować. Nic więcej się nie stanie.',
  },
  cs: {
    subject: 'Váš kód k Wi-Fi – {place}',
    greeting: 'Dobrý den,',
    intro: 'zde je Váš přístup k Wi-Fi pro hosty ({place}).',
    automatic: 'Tato zpráva byla odeslána automaticky. Odesílatel: {place}.',
    unexpected: 'Pokud jste ji nečekali, můžete ji ignorovat. Nic dalšího se nestane.',
  },
  pt: {
    subject: 'O seu código Wi-Fi – {place}',
    greeting: 'Olá,',
    intro: 'Aqui tem o seu acesso à rede Wi-Fi para convidados ({place}).',
    automatic: 'Esta mensagem foi enviada automaticamente por {place}.',
    unexpected: 'Se não a esperava, pode ignorá-la. Não acontecerá mais nada.',
  },
  da: {
    subject: 'Din wi-fi-kode til {place}',
    greeting: 'Hej',
    intro: 'Her er din adgang til wi-fi for gæster hos {place}.',
    automatic: 'Denne besked er sendt automatisk af {place}.',
    unexpected: 'Hvis du ikke ventede den, kan du ignorere den. Der sker ikke mere.',
  },
  sv: {
    subject: 'Din wifi-kod till {place}',
    greeting: 'Hej!',
    intro: 'Här är din tillgång till wifi för gäster hos {place}.',
    automatic: 'Det här meddelandet skickades automatiskt av {place}.',
    unexpected: 'Om du inte väntade dig det kan du bortse från det. Inget mer händer.',
  },
  nb: {
    subject: 'Wifi-koden din for {place}',
    greeting: 'Hei!',
    intro: 'Her er tilgangen din til wifi for gjester hos {place}.',
    automatic: 'Denne meldingen ble sendt automatisk av {place}.',
    unexpected: 'Hvis du ikke ventet den, kan du se bort fra den. Ingenting mer skjer.',
  },
  fi: {
    subject: 'Wi-Fi-koodisi – {place}',
    greeting: 'Hei,',
    intro: 'tässä on koodisi vieraiden Wi-Fi-verkkoon ({place}).',
    automatic: 'Tämä viesti lähetettiin automaattisesti. Lähettäjä: {place}.',
    unexpected: 'Jos et odottanut viestiä, voit jättää sen huomiotta. Mitään muuta ei tapahdu.',
  },
  hu: {
    subject: 'Az Ön Wi-Fi-kódja – {place}',
    greeting: 'Üdvözöljük!',
    intro: 'Íme a hozzáférése a vendégek Wi-Fi-hálózatához ({place}).',
    automatic: 'Ezt az üzenetet automatikusan küldtük. Feladó: {place}.',
    unexpected: 'Ha nem számított rá, hagyja figyelmen kívül. Más nem fog történni.',
  },
  ro: {
    subject: 'Codul dumneavoastră Wi-Fi – {place}',
    greeting: 'Bună ziua,',
    intro: 'aveți mai jos accesul la rețeaua Wi-Fi pentru oaspeți ({place}).',
    automatic: 'Acest mesaj a fost trimis automat de {place}.',
    unexpected: 'Dacă nu îl așteptați, îl puteți ignora. Nu se va întâmpla nimic altceva.',
  },
  hr: {
    subject: 'Vaš kod za Wi-Fi – {place}',
    greeting: 'Dobar dan,',
    intro: 'ovo je Vaš pristup Wi-Fi mreži za goste ({place}).',
    automatic: 'Ova je poruka poslana automatski. Pošiljatelj: {place}.',
    unexpected: 'Ako je niste očekivali, možete je zanemariti. Ništa se drugo neće dogoditi.',
  },
  tr: {
    subject: 'Wi-Fi kodunuz – {place}',
    greeting: 'Merhaba,',
    intro: 'Misafir Wi-Fi ağına erişim bilgileriniz aşağıdadır ({place}).',
    automatic: 'Bu mesaj otomatik olarak gönderilmiştir. Gönderen: {place}.',
    unexpected: 'Bu mesajı beklemiyorsanız dikkate almayabilirsiniz. Başka bir şey olmayacaktır.',
  },
  el: {
    subject: 'Ο κωδικός σας για το Wi-Fi – {place}',
    greeting: 'Γεια σας,',
    intro: 'ακολουθεί η πρόσβασή σας στο Wi-Fi επισκεπτών ({place}).',
    automatic: 'Αυτό το μήνυμα στάλθηκε αυτόματα. Αποστολέας: {place}.',
    unexpected: 'Αν δεν το περιμένατε, μπορείτε να το αγνοήσετε. Δεν θα συμβεί τίποτε άλλο.',
  },
  uk: {
    subject: 'Ваш код для Wi-Fi – {place}',
    greeting: 'Добрий день!',
    intro: 'Ось ваш доступ до гостьового Wi-Fi ({place}).',
    automatic: 'Це повідомлення надіслано автоматично. Відправник: {place}.',
    unexpected: 'Якщо ви його не очікували, просто проігноруйте його. Більше нічого не станеться.',
  },
  ru: {
    subject: 'Ваш код для Wi-Fi – {place}',
    greeting: 'Здравствуйте!',
    intro: 'Вот ваш доступ к гостевому Wi-Fi ({place}).',
    automatic: 'Это сообщение отправлено автоматически. Отправитель: {place}.',
    unexpected: 'Если вы его не ждали, просто не обращайте на него внимания. Больше ничего не произойдёт.',
  },
}
