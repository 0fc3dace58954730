//! The model of classic filters of 2^30 bits and more, where it shows that h1 and h2 have 32 bits each: low indexes
//! crowd the low bits, so the fill differs along the filter and is followed in bins.

use super::Geometry;

/// From this many bits on the model is used.
pub(super) const WIDE_FROM: u64 = 1 << 30;

const BINS: usize = 4096;
/// Midpoints per side of the square over which (h1, h2) is averaged.
const SIDE: usize = 256;

pub(super) struct Wide {
    m: f64,
    k: u32,
    /// 2^32 / m: how far along the filter one half of the hash reaches.
    reach: f64,
    /// The share of the filter that any index reaches; the bins divide that.
    span: f64,
    /// Indexes of one key that fall on a bit of this bin, relative to an even spread of 1.
    density: Vec<f64>,
}

impl Wide {
    pub(super) fn new(geometry: Geometry) -> Wide {
        let m = geometry.m() as f64;
        let reach = 4_294_967_296.0 / m;
        let span = (f64::from(geometry.k()) * reach).min(1.0);
        let density = (0..BINS)
            .map(|j| density_at(span * (j as f64 + 0.5) / BINS as f64, reach, geometry.k()))
            .collect();
        Wide {
            m,
            k: geometry.k(),
            reach,
            span,
            density,
        }
    }

    fn fill(&self, bin: usize, n: f64) -> f64 {
        -(-(n / self.m) * self.density[bin]).exp_m1()
    }

    pub(super) fn mean_fill(&self, n: f64) -> f64 {
        self.span * (0..BINS).map(|bin| self.fill(bin, n)).sum::<f64>() / BINS as f64
    }

    /// The number of keys after which `set` bits are expected to be set.
    pub(super) fn keys_at(&self, set: u64) -> f64 {
        let fill = set as f64 / self.m;
        let (mut low, mut high) = (0.0, 64.0 * self.m);
        if fill > self.mean_fill(high) {
            return high;
        }
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if self.mean_fill(middle) < fill {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low + high) / 2.0
    }

    /// The rate once the filter holds `n` keys.
    pub(super) fn fpr(&self, n: f64) -> f64 {
        let fills: Vec<f64> = (0..BINS).map(|bin| self.fill(bin, n)).collect();
        let middle = |a: usize| (a as f64 + 0.5) / SIDE as f64;
        let mut sum = 0.0;
        for a in 0..SIDE {
            for b in 0..SIDE {
                let mut all = 1.0;
                for i in 0..self.k {
                    let at = (middle(a) + f64::from(i) * middle(b)) * self.reach;
                    let bin = ((at - at.floor()) * BINS as f64 / self.span) as usize;
                    all *= fills[bin.min(BINS - 1)];
                }
                sum += all;
            }
        }
        sum / (SIDE * SIDE) as f64
    }
}

/// The density at `x`, in units of m, of the sum over i < k of (U + i*V) * reach wrapped around 1.
fn density_at(x: f64, reach: f64, k: u32) -> f64 {
    let mut sum = 0.0;
    for i in 0..k {
        let i = f64::from(i);
        let mut wraps = 0.0;
        while (x + wraps) / reach < i + 1.0 {
            sum += trapezoid(i, (x + wraps) / reach) / reach;
            wraps += 1.0;
        }
    }
    sum
}

/// The density of U + i*V for U, V uniform in [0, 1).
fn trapezoid(i: f64, t: f64) -> f64 {
    if i == 0.0 {
        if (0.0..1.0).contains(&t) {
            1.0
        } else {
            0.0
        }
    } else if t < 1.0 {
        t / i
    } else if t < i {
        1.0 / i
    } else {
        (i + 1.0 - t) / i
    }
}
