import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core'
import { IconCheck, IconChevronDown, IconPrinter } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestLanguage } from '#slips/guest-languages.ts'
import type { SlipVoucher } from '#slips/slip-facts.ts'
import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import { languageName } from '../formats.ts'
import { guestLanguagesByName } from '../guest-languages-by-name.ts'
import { currentLanguage } from '../i18n/i18n.ts'
import { useShortcuts } from '../shortcuts.ts'
import { keepPrintChoice, languagesToPrint, type PrintChoice, readPrintChoice, toggleLanguage } from './print-choice.ts'
import classes from './print-menu.module.css'
import { cardsOfSheet } from './sheet-grid.ts'
import { usePrint } from './use-print.ts'

const keyBorder = '1px solid color-mix(in srgb, currentcolor 45%, transparent)'

type PrintMenuProps = {
  /** All of this site. */
  vouchers: SlipVoucher[]
  site: { id: number; name: string }
  guestInfo: GuestInfo
  /** `default` where the page has another main button. It shows no key. */
  variant?: 'filled' | 'default'
  /** Offers to print new vouchers at once: at the desk. */
  withAfterCreating?: boolean
}

/** A button that prints with the last choice, as Ctrl P does, and next to it a menu for paper and language. */
export function PrintMenu({ vouchers, site, guestInfo, variant = 'filled', withAfterCreating }: PrintMenuProps) {
  const { t } = useTranslation()
  const [choice, setChoice] = useState(readPrintChoice)
  const { isPrinting, print } = usePrint()
  const [firstCard, setFirstCard] = useState(1)
  const start = () => {
    print(() => ({ vouchers, site, guestInfo, firstCard }))
    setFirstCard(1) // the next print has a new sheet
  }
  useShortcuts([{ hotkey: 'mod+P', shown: [t('print.key')], label: t('print.print'), run: start, whileTyping: true }])
  // The menu starts at the left edge of the print button, which is left of the button that opens the menu.
  const button = useRef<HTMLButtonElement>(null)
  const [buttonWidth, setButtonWidth] = useState(0)
  const choose = (next: PrintChoice) => {
    keepPrintChoice(next)
    setChoice(next)
  }
  return (
    <Group gap={1} wrap="nowrap" align="stretch">
      <Button
        ref={button}
        flex={1}
        variant={variant}
        {...(variant === 'default' && { px: 12 })}
        leftSection={<IconPrinter size={18} aria-hidden />}
        onClick={start}
        loading={isPrinting}
        style={{ borderStartEndRadius: 0, borderEndEndRadius: 0 }}
      >
        {vouchers.length === 1 ? t('print.print') : t('print.print-many', { count: vouchers.length })}
        {variant === 'filled' && (
          <Text
            span
            visibleFrom="sm"
            ml={10}
            px={5}
            fz={12}
            lh="18px"
            bdrs={5}
            style={{ border: keyBorder }}
            aria-hidden
          >
            {t('print.key')}
          </Text>
        )}
      </Button>
      <Menu
        position="bottom-start"
        offset={{ mainAxis: 8, crossAxis: -buttonWidth }}
        onOpen={() => setButtonWidth(button.current?.offsetWidth ?? 0)}
      >
        <Menu.Target>
          <ActionIcon
            variant={variant}
            color="indigo"
            w={36}
            h="auto"
            aria-label={t('print.options')}
            style={{ borderStartStartRadius: 0, borderEndStartRadius: 0 }}
          >
            <IconChevronDown size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Papers choice={choice} choose={choose} />
          {choice.paper === 'a4' && <FirstCard chosen={firstCard} onChoose={setFirstCard} />}
          <Languages choice={choice} ofSite={guestInfo.guest_languages} choose={choose} />
          {withAfterCreating && (
            <>
              <Menu.Divider />
              <Item
                isChosen={choice.afterCreating}
                onClick={() => choose({ ...choice, afterCreating: !choice.afterCreating })}
              >
                {t('print.after-creating')}
              </Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

type ChoiceProps = { choice: PrintChoice; choose: (next: PrintChoice) => void }

function Papers({ choice, choose }: ChoiceProps) {
  const { t } = useTranslation()
  return (
    <>
      <Menu.Label>{t('print.paper')}</Menu.Label>
      {(['a4', '80mm'] as const).map((paper) => (
        <Item key={paper} isChosen={choice.paper === paper} onClick={() => choose({ ...choice, paper })}>
          {t(`print.on-${paper}`)}
        </Item>
      ))}
    </>
  )
}

/** The card where the next print begins, for a sheet whose first cards are used. Looks like the sheet. */
function FirstCard({ chosen, onChoose }: { chosen: number; onChoose: (card: number) => void }) {
  const { t } = useTranslation()
  return (
    <>
      <Menu.Label>{t('print.first-card')}</Menu.Label>
      <div className={classes.sheet}>
        {Array.from({ length: cardsOfSheet }, (_, index) => index + 1).map((card) => (
          <Menu.RadioItem
            key={card}
            value={String(card)}
            className={classes.card ?? ''}
            checked={card === chosen}
            aria-label={t('print.card', { card })}
            data-used={card < chosen || undefined}
            closeMenuOnClick={false}
            onChange={() => onChoose(card)}
          >
            {card}
          </Menu.RadioItem>
        ))}
      </div>
    </>
  )
}

function Languages({ choice, ofSite, choose }: ChoiceProps & { ofSite: GuestLanguage[] }) {
  const { t } = useTranslation()
  const nameOf = (language: GuestLanguage) => languageName(language)
  const automatic = languagesToPrint({ ...choice, languages: null }, ofSite, currentLanguage())
  const chosen = choice.languages
  return (
    <>
      <Menu.Label>{t('print.language')}</Menu.Label>
      <Item isChosen={chosen === null} onClick={() => choose({ ...choice, languages: null })}>
        {t('print.automatic', { languages: automatic.map(nameOf).join(', ') })}
      </Item>
      <div className={classes.languages}>
        {guestLanguagesByName().map(({ value, label }) => (
          <Item
            key={value}
            isChosen={chosen?.includes(value) ?? false}
            onClick={() => choose({ ...choice, languages: toggleLanguage(chosen ?? [], value) })}
          >
            {label}
          </Item>
        ))}
      </div>
    </>
  )
}

function Item({ isChosen, onClick, children }: { isChosen: boolean; onClick: () => void; children: string }) {
  return (
    <Menu.CheckboxItem checked={isChosen} onChange={onClick} checkIcon={<IconCheck size={16} aria-hidden />}>
      {children}
    </Menu.CheckboxItem>
  )
}
