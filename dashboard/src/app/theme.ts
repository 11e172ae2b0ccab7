import { Anchor, createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** The green of a banyan’s leaves. */
const banyan: MantineColorsTuple = [
  '#eaf5ef',
  '#d3e8dc',
  '#a5d1b9',
  '#74b994',
  '#4ca475',
  '#2f9161',
  '#1c7a4d',
  '#14633f',
  '#0f5034',
  '#0a3e28',
]

export const theme = createTheme({
  colors: { banyan },
  primaryColor: 'banyan',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  headings: { fontWeight: '650' },
  components: {
    // Links are as large as the text around them.
    Anchor: Anchor.extend({ defaultProps: { inherit: true } }),
    // Outside the sections of the page, a header would be a second banner.
    ModalHeader: { defaultProps: { component: 'div' } },
    // Room for a scroll bar only where there is one.
    TableScrollContainer: { defaultProps: { scrollAreaProps: { offsetScrollbars: 'present' } } },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close this dialog' } } },
  },
})

/** Colours of text and surfaces that the defaults make too faint to see. */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5a636b',
    '--mantine-color-gray-0': '#f1f3f5',
    '--mantine-color-anchor': '#14633f',
    '--mantine-color-error': '#b3261e',
    '--mantine-color-red-outline': '#b3261e',
    '--mantine-color-yellow-outline': '#7a5300',
    '--mantine-color-red-light-color': '#b3261e',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b1b8',
    // Edges of sections, tables and buttons.
    '--mantine-color-dark-4': '#565f67',
    '--mantine-color-anchor': '#74b994',
    '--mantine-color-error': '#ff8f87',
    '--mantine-color-red-outline': '#ff8f87',
  },
})
