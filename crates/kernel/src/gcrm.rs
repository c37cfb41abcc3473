//! GCRM: levels of a geodesic mesh. Each rank writes a range of cells on every level.

use crate::shape::{Element, Misfit, Part};

/// Levels of the atmosphere.
const LEVELS: u64 = 26;
/// Cells of the coarsest mesh, without the poles.
const CELLS: u64 = 10;
/// No mesh has more cells than a number holds.
const FINEST: u32 = 28;

/// Ranges of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gcrm {
    /// The mesh has 10·4ʳ cells.
    pub resolution: u32,
    /// They are dealt to ranks as 10·4ˢ ranges; none chooses the least that is enough.
    pub subdomains: Option<u32>,
}

impl Default for Gcrm {
    fn default() -> Self {
        Gcrm { resolution: 7, subdomains: None }
    }
}

impl Gcrm {
    pub(crate) fn part(&self, rank: u64, ranks: u64) -> Result<Part, Misfit> {
        let of = |level: u32| CELLS << (2 * level);
        if self.resolution > FINEST {
            return Err(Misfit(format!("the finest resolution is {FINEST}")));
        }
        let enough = (0..=FINEST).find(|level| of(*level) >= ranks).unwrap_or(FINEST);
        let level = self.subdomains.unwrap_or(enough);
        if level > self.resolution {
            let resolution = self.resolution;
            let text = format!("resolution {resolution} cannot have sub-domains of level {level}");
            return Err(Misfit(format!("{text}; {ranks} ranks need level {enough}")));
        }
        if of(level) < ranks {
            let domains = of(level);
            return Err(Misfit(format!("{domains} sub-domains are too few for {ranks} ranks")));
        }
        let cells = of(self.resolution - level) / CELLS;
        let first =
            |rank: u64| (u128::from(of(level)) * u128::from(rank) / u128::from(ranks)) as u64;
        let (begin, end) = (first(rank) * cells, first(rank + 1) * cells);
        Ok(Part {
            name: "pressure",
            element: Element::Float,
            extent: vec![1, LEVELS, of(self.resolution)],
            start: vec![0, 0, begin],
            count: vec![1, LEVELS, end - begin],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_follow_each_other() {
        let gcrm = Gcrm { resolution: 4, subdomains: Some(1) };
        for ranks in [1, 2, 3, 7, 40] {
            let mut next = 0;
            for rank in 0..ranks {
                let part = gcrm.part(rank, ranks).unwrap();
                assert_eq!(part.start[2], next);
                assert!(part.count[2] > 0);
                next += part.count[2];
            }
            assert_eq!(next, 2560);
        }
        assert!(gcrm.part(0, 41).is_err());
    }

    #[test]
    fn the_mesh_is_that_of_the_paper() {
        let gcrm = Gcrm { resolution: 11, subdomains: Some(6) };
        let part = gcrm.part(5, 128).unwrap();
        assert_eq!(part.count, [1, 26, 327_680]);
        assert_eq!(part.extent, [1, 26, 41_943_040]);
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let coarse = Gcrm { resolution: 1, subdomains: None };
        assert_eq!(
            coarse.part(0, 100).unwrap_err().to_string(),
            "resolution 1 cannot have sub-domains of level 2; 100 ranks need level 2"
        );
        assert!(Gcrm { resolution: 29, subdomains: None }.part(0, 1).is_err());
    }
}
