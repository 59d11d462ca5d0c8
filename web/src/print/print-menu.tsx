import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconChevronDown, IconPrinter } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GuestInfo } from '../../../client/voucher-api.generated.ts'
import { errorTexts } from '../components/state-pages.tsx'
import { currentLanguage } from '../i18n/i18n.ts'
import { useKeys } from '../keys.ts'
import { keepPrintChoice, languagesToPrint, type PrintChoice, readPrintChoice, toggleLanguage } from './print-choice.ts'
import type { SlipVoucher } from './slip-facts.ts'
import { type GuestLanguage, guestLanguages } from './slip-texts.ts'

const keyBorder = '1px solid color-mix(in srgb, currentcolor 45%, transparent)'

type PrintMenuProps = {
  /** All of this site. */
  vouchers: SlipVoucher[]
  site: { id: number; name: string }
  guestInfo: GuestInfo
  /** `default` where the page has another main button. It shows no key. */
  variant?: 'filled' | 'default'
}

/** A button that prints with the last choice, as Ctrl P does, and next to it a menu for paper and language. */
export function PrintMenu({ vouchers, site, guestInfo, variant = 'filled' }: PrintMenuProps) {
  const { t } = useTranslation()
  const [choice, setChoice] = useState(readPrintChoice)
  const print = useMutation({
    mutationFn: async () => {
      const { printVouchers } = await import('./print-vouchers.tsx')
      const languages = languagesToPrint(choice, guestInfo.guest_languages, currentLanguage())
      await printVouchers({ vouchers, site, guestInfo, paper: choice.paper, languages })
    },
    onError: (error) => {
      const { title, text } = errorTexts(t, error)
      notifications.show({ color: 'red', title, message: text })
    },
  })
  const start = () => {
    if (!print.isPending) print.mutate()
  }
  useKeys([{ hotkey: 'mod+P', shown: [t('print.key')], label: t('print.print'), run: start, whileTyping: true }])
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
        variant={variant}
        {...(variant === 'default' && { px: 12 })}
        leftSection={<IconPrinter size={18} aria-hidden />}
        onClick={start}
        loading={print.isPending}
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
        withInitialFocusPlaceholder={false}
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
          <Choices choice={choice} ofSite={guestInfo.guest_languages} choose={choose} />
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}

type ChoicesProps = { choice: PrintChoice; ofSite: GuestLanguage[]; choose: (next: PrintChoice) => void }

function Choices({ choice, ofSite, choose }: ChoicesProps) {
  const { t } = useTranslation()
  const names = new Intl.DisplayNames(currentLanguage(), { type: 'language' })
  const nameOf = (language: GuestLanguage) => names.of(language) ?? language
  const automatic = languagesToPrint({ ...choice, languages: null }, ofSite, currentLanguage())
  const chosen = choice.languages
  return (
    <>
      <Menu.Label>{t('print.paper')}</Menu.Label>
      {(['a4', '80mm'] as const).map((paper) => (
        <Item key={paper} isChosen={choice.paper === paper} onClick={() => choose({ ...choice, paper })}>
          {t(`print.on-${paper}`)}
        </Item>
      ))}
      <Menu.Label>{t('print.language')}</Menu.Label>
      <Item isChosen={chosen === null} onClick={() => choose({ ...choice, languages: null })}>
        {t('print.automatic', { languages: automatic.map(nameOf).join(', ') })}
      </Item>
      {guestLanguages.map((language) => (
        <Item
          key={language}
          isChosen={chosen?.includes(language) ?? false}
          onClick={() => choose({ ...choice, languages: toggleLanguage(chosen ?? [], language) })}
        >
          {nameOf(language)}
        </Item>
      ))}
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
