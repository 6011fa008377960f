/** What people type into an electronics shop, and what they mean by it (see judge.ts). */
export const QUERIES = `
# head
laptop | laptop | | tablet desktop
laptops | laptop | | tablet desktop
notebook | laptop | | tablet desktop
printer | printer | | label-printer
printers | printer | | label-printer
monitor | monitor | | tv
tv | tv | | projector monitor
projector | projector | | tv
camera | camera | | webcam
headphones | headphones | | earbuds headset
headset | headset | | headphones
earbuds | earbuds | | headphones
keyboard | keyboard | | keyboard-set
mouse | mouse | | keyboard-set
tablet | tablet | | laptop
smartphone | smartphone
phone | smartphone
smartwatch | smartwatch
router | router | | switch
scanner | scanner | | printer
webcam | webcam | | camera
speaker | speaker | | soundbar
soundbar | soundbar | | speaker
microphone | microphone | | headset
lens | lens
tripod | tripod
calculator | calculator
ups | ups
power bank | power-bank | | phone-charger
memory card | memory-card | | usb-stick
usb stick | usb-stick | | memory-card
external hard drive | external-drive | | internal-drive
ssd | internal-drive external-drive | drive=SSD
network switch | switch | | router
desktop computer | desktop | | laptop
# accessory
laptop bag | laptop-bag | | laptop-sleeve
laptop sleeve | laptop-sleeve | | laptop-bag
laptop charger | laptop-charger | | phone-charger docking-station
laptop battery | laptop-battery | | laptop-charger
laptop stand | laptop-stand | | docking-station monitor-arm
laptop docking station | docking-station | | usb-hub
notebook case | laptop-sleeve laptop-bag
printer toner | toner | | ink
toner cartridge black | toner | colour=Black | ink
printer ink | ink | | toner
yellow ink cartridge | ink | colour=Yellow | toner
printer paper tray | paper-tray
photo paper | photo-paper
paper for printer | photo-paper
label tape | label-tape
camera case | camera-case
camera bag | camera-case
camera battery | camera-battery
camera tripod | tripod
camera lens | lens | | camera
phone case | phone-case
phone charger | phone-charger | | power-bank usb-cable
phone holder for car | phone-holder
screen protector | phone-protector | | privacy-filter
tablet cover | tablet-case
watch strap | watch-strap
mouse mat | mouse-pad
gaming mouse pad | mouse-pad | gaming=yes
monitor arm | monitor-arm | | tv-mount
monitor privacy filter | privacy-filter
tv wall mount | tv-mount | | monitor-arm
tv remote | remote
projector lamp | projector-lamp
projector screen | projector-screen
headphone stand | headphone-stand
replacement ear pads | ear-pads
hdmi cable | hdmi-cable
usb c cable | usb-cable | usbC=yes
ethernet cable | network-cable
usb hub | usb-hub | | docking-station
# attribute
wireless mouse | mouse | wireless=yes | keyboard-set
wired mouse | mouse | wireless=no | keyboard-set
wireless keyboard | keyboard | wireless=yes | keyboard-set
wireless keyboard and mouse | keyboard-set | wireless=yes | keyboard mouse
gaming laptop | laptop | gaming=yes | desktop
gaming mouse | mouse | gaming=yes
gaming keyboard | keyboard | gaming=yes
gaming headset | headset | gaming=yes
gaming monitor | monitor | gaming=yes
gaming pc | desktop | gaming=yes | laptop
mechanical keyboard | keyboard | mechanical=yes
backlit keyboard | keyboard | backlit=yes
ergonomic mouse | mouse | ergonomic=yes
15.6 inch laptop | laptop | screen=15.6
17 inch laptop | laptop | screen~17.3
touchscreen laptop | laptop | touch=yes | tablet
laptop 16gb ram | laptop | memory=16
laptop 512gb ssd | laptop | storage=512 drive=SSD
27 inch monitor | monitor | screen=27
curved monitor | monitor | curved=yes
4k monitor | monitor | resolution=3840_x_2160 | tv
27" 1440p monitor | monitor | screen=27 resolution=2560_x_1440
144hz monitor | monitor | refresh>144
55 inch tv | tv | screen=55
oled tv | tv | panel=OLED
4k tv 65 inch | tv | resolution=3840_x_2160 screen=65
smart tv | tv | smart=yes
4k projector | projector | resolution=3840_x_2160
portable projector | projector | portable=yes
laser printer | printer | technology=Laser
colour laser printer | printer | technology=Laser inColour=yes
inkjet printer | printer | technology=Inkjet
wifi printer | printer | wifi=yes
all in one printer | printer | multifunction=yes | scanner
black and white laser printer | printer | technology=Laser inColour=no
duplex scanner | scanner | duplex=yes
noise cancelling headphones | headphones | noiseCancelling=yes | earbuds headset
wireless headphones | headphones | wireless=yes | earbuds headset
wireless earbuds | earbuds | wireless=yes | headphones
white earbuds | earbuds | colour=White
waterproof speaker | speaker | waterproof=yes
soundbar with subwoofer | soundbar | subwoofer=yes
mirrorless camera | camera | mirrorless=yes
24 megapixel camera | camera | megapixels=24
50mm lens | lens | focal=50
5g phone | smartphone | fiveG=yes
256gb smartphone | smartphone | storage=256
blue phone case | phone-case | colour=Blue
gps watch | smartwatch | gps=yes
wifi 6 router | router | wifi6=yes
mesh router | router | mesh=yes
8 port switch | switch | ports=8
poe switch | switch | poe=yes
2tb external hard drive | external-drive | storage=2000
128 gb memory card | memory-card | storage=128 | usb-stick
64gb usb stick | usb-stick | storage=64 | memory-card
16gb ram module | memory-module | memory=16
20000mah power bank | power-bank | capacity=20000
2m hdmi cable | hdmi-cable | length=2
5m ethernet cable | network-cable | length=5
65w laptop charger | laptop-charger | watts=65 | phone-charger
scientific calculator | calculator | scientific=yes
webcam 1080p | webcam | resolution=1920_x_1080
red wireless mouse | mouse | colour=Red wireless=yes
# brand
velmora laptop | laptop | brand=Velmora | desktop
kestrane notebook | laptop | brand=Kestrane | desktop
inkarta printer | printer | brand=Inkarta | label-printer
pelloux toner | toner | brand=Pelloux | ink
lumitar tv | tv | brand=Lumitar
sonavik headphones | headphones | brand=Sonavik | earbuds headset
tactiva wireless mouse | mouse | brand=Tactiva wireless=yes
okarra phone | smartphone | brand=Okarra
optarra camera | camera | brand=Optarra | lens
routara | * | brand=Routara
murmel | * | brand=Murmel
fokaro | * | brand=Fokaro
datavik ssd | internal-drive external-drive | brand=Datavik drive=SSD
zelphi tablet | tablet | brand=Zelphi | smartphone
# typo
lapto | laptop | | tablet desktop
pritner | printer | | label-printer
wireles mouse | mouse | wireless=yes | keyboard-set
hedphones | headphones | | earbuds headset
moniter 27 inch | monitor | screen=27
keybord | keyboard | | keyboard-set
bluethooth speaker | speaker | | soundbar
projecter | projector | | tv
velmorra laptop | laptop | brand=Velmora | desktop
# synonym
television | tv | | monitor projector
beamer | projector | | tv
mobile phone | smartphone
loudspeaker | speaker | | soundbar
flash drive | usb-stick | | memory-card
pc screen | monitor | | tv
wlan router | router | | switch
computer mouse | mouse | | keyboard-set
fitness watch | smartwatch
in-ear headphones | earbuds | | headphones
# wish
big screen for watching films in the living room | tv | screen>50 | projector
something to charge my phone on the go | power-bank | | phone-charger
quiet headphones for the plane | headphones | noiseCancelling=yes | earbuds
printer that also scans and copies | printer | multifunction=yes | scanner
keep my laptop safe in my backpack | laptop-sleeve | | laptop-bag
raise my laptop to eye level | laptop-stand
small computer for the living room | desktop | | laptop
`

export const MODELS = `
# model
{brand} {model} | laptop | 0
{model} | laptop | 5
{number} | laptop | 17
{start} | laptop | 9
{brand} {model} | printer | 2
{model} | printer | 11
{number} | printer | 20
{model} | monitor | 4
{brand} {number} | tv | 3
{model} | camera | 6
{start} | smartphone | 8
{brand} {model} | smartphone | 15
{model} | headphones | 3
{model} | router | 2
{number} | tablet | 1
{brand} {model} | projector | 4
# accessory
charger for {brand} {model} | laptop | $laptop-charger | laptop-charger
battery for {model} | laptop | $laptop-battery | laptop-battery
case for {model} | camera | $camera-case | camera-case
{brand} {model} case | smartphone | $phone-case | phone-case
{model} toner | printer | $toner | toner
ink for {brand} {model} | printer | $ink | ink
lamp for {brand} {model} | projector | $projector-lamp | projector-lamp
{brand} {model} cover | tablet | $tablet-case | tablet-case
strap for {model} | smartwatch | $watch-strap | watch-strap
`
