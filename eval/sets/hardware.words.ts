/** The words of the made hardware shop (see make.ts). The family is the shop's category, when it has one. */

export const GROUPS = `
FIXERS: Ferrowick, Grippax, Steelbourne, Hendrik & Moss
POWER: Brokka, Kraftor, Dremond, Talvin
HAND: Steelbourne, Hendrik & Moss, Oakforge, Dremond
WATER: Aquavane, Hosely, Rainmere
COLOR: Paintworth, Colorenne, Brushmoor
WIRE: Sparkden, Lumeno
SAFE: Safewell, Gardian
SERIES: DX, PT, KR, TX
METALS: stainless, zinc, stainless, zinc, brass
`

export const KINDS = `
wood-screw | Fixings | 36 | Wood Screw, Wood Screws, CSK Woodscrew, Chipboard Screws | FIXERS | WS | 3 18 | screw: 3.5, 4, 4, 5; length: 20, 40, 40, 60, 80; material: METALS; pack: 25, 100, 200
machine-screw | Fixings | 16 | Machine Screw, Machine Screws Pan Head, Socket Cap Screw | FIXERS | MS | 2 14 | thread: M3, M4, M5, M6; length: 10, 16, 25, 40; material: METALS; pack: 10, 50, 100
drywall-screw | Fixings | 10 | Drywall Screws, Plasterboard Screw, Drywall Scr. | FIXERS | DW | 4 16 | screw: 3.5, 4.2; length: 25, 35, 42; pack: 200, 500
decking-screw | Fixings | 10 | Decking Screws, Deck Screw, Exterior Decking Scr. | FIXERS | DS | 7 30 | screw: 4.5, 5; length: 50, 60, 75; material: stainless, zinc; pack: 100, 250
hex-bolt | Fixings | 26 | Hex Bolt, Hex Head Bolt, Set Screw Bolt, Bolts Hex | FIXERS | HB | 2 20 | thread: M6, M6, M8, M8, M10; length: 20, 40, 40, 60; material: METALS; pack: 5, 10, 50
coach-bolt | Fixings | 8 | Coach Bolt, Carriage Bolt, Cup Square Bolt | FIXERS | CB | 3 16 | thread: M8, M10; length: 80, 100, 130; material: zinc, stainless; pack: 5, 10
nut | Fixings | 18 | Hex Nuts, Nyloc Nut, Full Nut | FIXERS | NT | 1 9 | thread: M5, M6, M6, M8; material: METALS; pack: 10, 50, 100
washer | Fixings | 12 | Washers, Flat Washer, Penny Washer | FIXERS | WA | 1 9 | thread: M4, M5, M6, M8, M10; material: METALS; pack: 50, 100
threaded-rod | Fixings | 8 | Threaded Rod, Studding, Threaded Bar | FIXERS | TR | 2 12 | thread: M6, M8, M10, M12; material: zinc, stainless
nail | Fixings | 12 | Round Wire Nails, Nails, Clout Nails | FIXERS | NL | 2 14 | length: 30, 40, 50, 75, 100; material: zinc, steel; pack: 100, 500
wall-plug | Fixings | 12 | Wall Plugs, Rawl-type Plug, Nylon Wall Plug, Plasterboard Fixing | Grippax, Ferrowick | WP | 2 10 | hole: 6, 7, 8, 10; pack: 50, 100
rivet | Fixings | 8 | Pop Rivets, Blind Rivet | FIXERS | RV | 3 12 | hole: 3.2, 4, 4.8; pack: 50, 100
hinge | Ironmongery | 10 | Butt Hinge, Door Hinges, Cabinet Hinge | Hendrik & Moss, Steelbourne | HG | 2 22 | length: 50, 75, 100; material: stainless, brass, zinc
bracket | Ironmongery | 10 | Angle Bracket, Corner Brace, Shelf Bracket | Steelbourne, Grippax | BR | 1 15 | length: 40, 60, 100, 200; material: zinc, stainless
padlock | Ironmongery | 10 | Padlock, Combination Padlock +combination, Long Shackle Padlock | Hendrik & Moss, Gardian | PL | 6 40 | length: 30, 40, 50; combination: yes, no
door-handle | Ironmongery | 10 | Door Handle, Lever Handle Set, Door Knob | Hendrik & Moss, Oakforge | DH | 8 60 | material: brass, stainless
drill | Power tools | 24 | Cordless Drill Driver, Drill, Combi Drill, Drill Driver, Cordl. Drill | POWER | SERIES | 45 240 | volts: 12, 18, 18, 20; brushless: yes, no; kit: yes, no
sds-drill | Power tools | 12 | SDS Plus Hammer Drill, Rotary Hammer, SDS Drill | POWER | SERIES | 80 320 | watts: 800, 1050; cordless: no, no, yes
impact-driver | Power tools | 12 | Impact Driver, Cordless Impact Driver, Imp. Driver | POWER | SERIES | 60 220 | volts: 12, 18, 20; brushless: yes, no
circular-saw | Power tools | 10 | Circular Saw, Circ Saw, Plunge Saw | POWER | SERIES | 60 290 | blade: 165, 185, 190; cordless: yes, no
jigsaw | Power tools | 10 | Jigsaw, Jig Saw, Cordless Jigsaw +cordless | POWER | SERIES | 40 210 | cordless: yes, no
angle-grinder | Power tools | 12 | Angle Grinder, Grinder, Ang. Grinder | POWER | SERIES | 35 220 | blade: 115, 125, 230; cordless: yes, no
sander | Power tools | 12 | Random Orbit Sander, Belt Sander, Sander, Detail Sander | POWER | SERIES | 35 190 | cordless: yes, no; watts: 200, 300, 750
multi-tool | Power tools | 8 | Oscillating Multi-Tool, Multi Tool | POWER | SERIES | 45 180 | cordless: yes, no
heat-gun | Power tools | 8 | Heat Gun, Hot Air Gun | POWER | SERIES | 25 90 | watts: 1600, 2000
drill-bit | Accessories | 26 | HSS Drill Bit +surface=metal, Masonry Drill Bit +surface=masonry, Wood Drill Bit +surface=wood, SDS Plus Drill Bit +surface=masonry, Drill Bit | Dremond, Kraftor, Steelbourne | DB | 2 19 | hole: 3, 4, 5, 6, 8, 10, 12; surface: metal, wood, masonry
drill-bit-set | Accessories | 12 | Drill Bit Set, HSS Drill Set +surface=metal, Masonry Bit Set +surface=masonry | Dremond, Kraftor | DBS | 9 60 | pieces: 5, 10, 19, 25; surface: metal, masonry, wood
bit-set | Accessories | 10 | Screwdriver Bit Set, Impact Bit Set, Torx Bits | Dremond, Steelbourne | BS | 6 40 | pieces: 10, 32, 60
hole-saw | Accessories | 10 | Hole Saw, Holesaw Bi-Metal, Hole Cutter | Dremond, Kraftor | HS | 6 35 | blade: 25, 35, 68, 100
saw-blade | Accessories | 12 | Circular Saw Blade, TCT Blade, Saw Blade | Dremond, Kraftor | SB | 10 60 | blade: 165, 185, 190; teeth: 24, 40, 60
jigsaw-blade | Accessories | 8 | Jigsaw Blades, Jig Saw Blade T-Shank | Dremond, Kraftor | JB | 4 20 | pack: 5, 10; surface: wood, metal
cutting-disc | Accessories | 12 | Metal Cutting Disc, Grinding Disc, Diamond Blade | Dremond, Kraftor | CD | 1 30 | blade: 115, 125, 230; pack: 1, 5, 10
sanding-disc | Accessories | 12 | Sanding Discs, Sanding Sheets, Sandpaper, Abrasive Discs | Dremond, Oakforge | SD | 3 18 | grit: 60, 80, 120, 240; pack: 5, 10, 25
battery | Accessories | 16 | Battery, Li-Ion Battery Pack, Batt. | POWER | BT | 25 130 | volts: 12, 18, 20; amp: 2, 4, 5 | drill
charger | Accessories | 10 | Battery Charger, Fast Charger, Charger | POWER | CH | 20 80 | volts: 12, 18, 20 | drill
drill-stand | Accessories | 6 | Drill Stand, Drill Press Stand, Drill Guide | Dremond, Kraftor | ST | 25 110 |
tool-bag | Storage | 10 | Tool Bag, Tool Tote, Drill Case, Power Tool Bag | Oakforge, Kraftor | TB | 15 80 |
toolbox | Storage | 10 | Tool Box, Toolbox, Tool Chest | Oakforge, Steelbourne | BX | 12 140 | length: 400, 500, 600
hammer | Hand tools | 12 | Claw Hammer, Hammer, Club Hammer, Mallet | HAND | HM | 8 45 | ounces: 16, 20, 24
screwdriver | Hand tools | 12 | Screwdriver, Screwdriver Pozi, Screwdriver Flat | HAND | SC | 3 16 | length: 75, 100, 150
screwdriver-set | Hand tools | 8 | Screwdriver Set, Precision Screwdriver Set | HAND | SS | 10 50 | pieces: 6, 8, 12
pliers | Hand tools | 12 | Combination Pliers, Long Nose Pliers, Water Pump Pliers, Side Cutters | HAND | PR | 7 35 | length: 160, 180, 200, 250
spanner | Hand tools | 14 | Combination Spanner, Adjustable Wrench, Spanner, Wrench | HAND | SP | 4 32 | hole: 8, 10, 13, 17, 19
socket-set | Hand tools | 10 | Socket Set, Ratchet & Socket Set | HAND | SK | 20 150 | inch: 1/4, 3/8, 1/2; pieces: 18, 40, 94
hex-keys | Hand tools | 8 | Hex Key Set, Allen Keys, Allen Key Set | HAND | HK | 4 25 | pieces: 8, 9, 10
tape-measure | Hand tools | 10 | Tape Measure, Measuring Tape, Pocket Tape | HAND | TM | 4 28 | metres: 3, 5, 8
spirit-level | Hand tools | 10 | Spirit Level, Box Level, Level | HAND | SL | 8 60 | length: 300, 600, 1200
hand-saw | Hand tools | 8 | Hand Saw, Panel Saw, Hacksaw | HAND | HW | 8 35 | length: 300, 500, 550
chisel | Hand tools | 8 | Wood Chisel, Bevel Edge Chisel, Cold Chisel | HAND | CS | 6 30 | hole: 6, 12, 18, 25
utility-knife | Hand tools | 8 | Utility Knife, Retractable Knife, Snap-Off Cutter | HAND | UK | 3 18 |
knife-blade | Hand tools | 8 | Utility Knife Blades, Trimming Blades, Snap-Off Blades | HAND | KB | 2 12 | pack: 5, 10, 50
clamp | Hand tools | 10 | G-Clamp, Bar Clamp, Quick Clamp | HAND | CL | 5 40 | length: 75, 150, 300, 600
hose | Garden & plumbing | 16 | Garden Hose, Hose Pipe, Hosepipe, Reinf. Hose | WATER | HO | 12 70 | inch: 1/2, 3/4, 3/4, 1; metres: 15, 25, 25, 30, 50
hose-fitting | Garden & plumbing | 14 | Hose Connector, Hose Tap Adaptor, Hose Repair Joiner, Quick Connect | WATER | HC | 2 12 | inch: 1/2, 3/4, 1; material: brass, plastic
hose-reel | Garden & plumbing | 8 | Hose Reel, Wall Hose Reel, Hose Cart | WATER | HR | 25 130 | metres: 15, 25, 40
spray-gun | Garden & plumbing | 8 | Hose Spray Gun, Hose Nozzle, Water Gun Multi-Pattern | WATER | SG | 5 25 | material: brass, plastic
tap | Garden & plumbing | 12 | Kitchen Tap, Basin Mixer, Outside Tap, Mixer Tap | WATER | TP | 12 140 | inch: 1/2, 3/4; material: brass, stainless
ball-valve | Garden & plumbing | 10 | Ball Valve, Lever Ball Valve, Isolating Valve | WATER | BV | 4 25 | inch: 1/2, 3/4, 1; material: brass, stainless
pipe | Garden & plumbing | 12 | Copper Pipe +material=copper, Plastic Pipe +material=plastic, Pipe | WATER | PP | 4 40 | hole: 15, 22, 28; metres: 2, 3; material: copper, plastic
pipe-fitting | Garden & plumbing | 18 | Elbow 90 Deg, Equal Tee, Straight Coupler, Compression Elbow, Push-Fit Tee | WATER | FT | 1 14 | hole: 15, 22, 28; material: copper, brass, plastic
thread-tape | Garden & plumbing | 6 | PTFE Tape, Thread Seal Tape | WATER | PT | 1 5 | metres: 12
sealant | Decorating | 12 | Silicone Sealant, Sanitary Silicone, Bath & Kitchen Silicone | Paintworth, Grippax | SI | 3 14 | colour: white, clear, grey, black
caulk | Decorating | 6 | Decorators Caulk, Acrylic Filler, Frame Sealant Acrylic | Paintworth, Grippax | AC | 2 9 | colour: white, brown
sealant-gun | Decorating | 6 | Sealant Gun, Caulking Gun, Skeleton Gun | Grippax, Dremond | CG | 4 25 |
wall-paint | Decorating | 22 | Emulsion, Wall Paint, Emulsion Paint, Interior Paint | COLOR | EM | 10 60 | colour: white, grey, magnolia, blue, green; finish: matt, silk; litres: 1, 2.5, 5, 10
wood-paint | Decorating | 16 | Wood & Metal Paint, Satinwood, Gloss Paint +finish=gloss, Wood Paint | COLOR | WD | 8 40 | colour: white, black, grey, green; finish: satin, gloss; litres: 0.75, 1, 2.5
masonry-paint | Decorating | 10 | Masonry Paint, Exterior Masonry Paint, Facade Paint | COLOR | MP | 15 70 | colour: white, grey, magnolia; litres: 5, 10
wood-stain | Decorating | 10 | Wood Stain, Decking Oil, Fence Stain | COLOR | WT | 8 40 | colour: oak, oak, walnut, clear; litres: 0.75, 2.5, 5
spray-paint | Decorating | 12 | Spray Paint, Aerosol Paint, Spray Primer | COLOR | AE | 4 14 | colour: black, white, red, grey; finish: matt, gloss
primer | Decorating | 8 | Primer, Primer Undercoat, Multi-Surface Primer | COLOR | PM | 7 35 | colour: white, grey; litres: 0.75, 1, 2.5
paint-brush | Decorating | 12 | Paint Brush, Paintbrush, Angled Brush | Brushmoor, Paintworth | BH | 2 16 | wide: 25, 38, 50, 75, 100
paint-roller | Decorating | 8 | Paint Roller, Roller Frame & Sleeve, Roller Kit | Brushmoor, Paintworth | RL | 4 20 | wide: 100, 180, 230
roller-sleeve | Decorating | 8 | Roller Sleeve, Roller Refill, Mini Roller Sleeves | Brushmoor, Paintworth | RS | 2 12 | wide: 100, 180, 230
paint-tray | Decorating | 6 | Paint Tray, Roller Tray, Paint Kettle | Brushmoor | TY | 2 10 |
masking-tape | Decorating | 8 | Masking Tape, Painters Tape | Brushmoor, Grippax | MT | 2 9 | wide: 25, 38, 50
dust-sheet | Decorating | 6 | Dust Sheet, Drop Cloth | Brushmoor | DU | 3 20 |
cable | Electrical | 10 | Twin & Earth Cable, Flex Cable, Cable | WIRE | CA | 10 90 | metres: 10, 25, 50
cable-tie | Electrical | 10 | Cable Ties, Zip Ties, Cable Tie Nylon | WIRE, Grippax | CT | 2 12 | length: 100, 200, 300; pack: 100; colour: black, white
extension-lead | Electrical | 10 | Extension Lead, Extension Cord, Cable Reel | WIRE | EX | 8 60 | metres: 2, 5, 10, 25
light-bulb | Electrical | 14 | LED Bulb, Light Bulb, LED Lamp GLS | WIRE | LB | 2 14 | watts: 5, 8, 12; cap: E27, E14, B22
work-gloves | Safety | 10 | Work Gloves, Safety Gloves, Rigger Gloves | SAFE | WG | 3 18 | size: M, L, XL
safety-glasses | Safety | 8 | Safety Glasses, Safety Goggles | SAFE | GG | 3 20 |
dust-mask | Safety | 8 | Dust Mask, Respirator Mask FFP2, Disposable Mask | SAFE | DM | 4 30 | pack: 3, 10
ear-defenders | Safety | 6 | Ear Defenders, Ear Muffs | SAFE | ED | 8 35 |
ladder | Access | 8 | Step Ladder, Ladder, Extension Ladder | Oakforge, Safewell | LD | 30 220 | treads: 3, 5, 7
`

/** How titles write a material or a colour. */
export const SAID = `
stainless: Stainless Steel, A2 Stainless, S/S, St. Steel, Inox A2
zinc: Zinc Plated, ZP, BZP, Bright Zinc, Zinc
brass: Brass, Solid Brass, brass
steel: Steel, Bright Steel
plastic: Plastic, PVC, plastic
copper: Copper, Copper
white: White, Brilliant White, Wht
black: Black, Blk
grey: Grey, Lt Grey, Anthracite Grey
magnolia: Magnolia
clear: Clear, Transparent
metal: for Metal
wood: for Wood
masonry: for Masonry, for Concrete
`
